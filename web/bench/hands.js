// What a person does on the live page, done and timed inside it: edits, and a large paste with edits meanwhile.

(() => {
  const PATIENCE_MS = 60_000;
  const LONGEST_MS = 600_000;
  const rest = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const frame = () => new Promise(requestAnimationFrame);

  /** Wait for a task of its own: what the present one still has to do is done by then. */
  const task = () =>
    new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = resolve;
      port2.postMessage(null);
    });

  // ---------------------------------------------------------------- one edit

  let expected = null; // {id, heard}: the request that an edit has made, once it is made
  let changed = 0; // when anything in the page changed last

  bench.sent = ({ id, request }) => {
    const isEdit = typeof request === "string" && request.includes('"set":{');
    if (expected && expected.id === undefined && isEdit) expected.id = id;
  };

  bench.heard = ({ id, response = "" }) => {
    if (id === undefined || expected?.id !== id) return;
    expected.heard({ id, heard: performance.now(), ok: response.startsWith('{"ok":true') });
    expected = null;
  };

  const answered = () =>
    new Promise((resolve, reject) => {
      expected = { id: undefined, heard: resolve };
      setTimeout(() => reject(new Error("an edit was not answered")), PATIENCE_MS);
    });

  /** Say that an input has changed, and wait until the page shows the answer. */
  async function type(input) {
    const name = input.name;
    const answer = answered();
    const start = performance.now();
    input.dispatchEvent(new Event("input", { bubbles: true }));
    const { id, heard, ok } = await answer;
    await task();
    const shown = changed >= heard; // an edit may make no difference to what is seen
    const times = { id, name, ok, shown, changed: changed - start };
    await frame();
    await task();
    return { ...times, painted: performance.now() - start };
  }

  // ---------------------------------------------------------------- many edits

  const useless = new Set(); // inputs that say no number, or refuse the next one

  const inputs = () => [...document.querySelectorAll("#form [name]")].filter(({ name }) => !useless.has(name));

  const alterations = {
    checkbox: (input) => (input.checked = !input.checked),
    "select-one": (input) => (input.selectedIndex = (input.selectedIndex + 1) % input.length),
    text: (input) => (input.value = input.value.replace(/\d+/, (digits) => Number(digits) + 1)),
  };

  /** Make another change in another input; null where that input takes none, or nothing is to be seen of it. */
  async function edit(turn) {
    const all = inputs();
    if (!all.length) throw new Error("no input takes a change");
    const input = all[turn % all.length];
    const before = input.value;
    alterations[input.type]?.(input);
    if (input.type !== "checkbox" && input.value === before) return useless.add(input.name), null;
    const times = await type(input);
    if (times.ok) return times.shown ? times : null;
    useless.add(input.name);
    input.value = before;
    await type(input);
    return null;
  }

  function watchChanges() {
    const observer = new MutationObserver(() => (changed = performance.now()));
    observer.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
  }

  /**
   * @param {number} count
   * @param {number} gap milliseconds between an answer and the next edit
   */
  bench.edits = async (count, gap) => {
    watchChanges();
    const from = performance.now();
    const edits = [];
    for (let turn = 0; edits.length < count; turn += 1) {
      if (turn > 10 * count) throw new Error("hardly any edit changes the page");
      const times = await edit(turn);
      if (times) edits.push(times);
      await rest(gap);
    }
    return { from, edits };
  };

  // ---------------------------------------------------------------- a large paste

  const LINE = "2026-01-01 00:00:00,000 INFO trainer: epoch 3 step 000000 loss 0.1234 lr 3.0e-04 1234.5 samples/s\n";
  const END = "RuntimeError: DataLoader worker (pid 4242) is killed by signal: Bus error. "
    + "It is possible that dataloader's workers are out of shared memory. Please try to raise your shared memory limit.\n";

  /**
   * @param {number} size characters
   * @param {number} gap milliseconds between an answer and the next edit
   */
  bench.paste = async (size, gap) => {
    watchChanges();
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", LINE.repeat(Math.ceil(size / LINE.length)) + END);
    await rest(1000); // making the text is not what is timed
    const [progress, result] = ["paste-progress", "paste-result"].map((id) => document.getElementById(id));
    const from = performance.now();
    const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
    document.getElementById("paste").dispatchEvent(event);
    const edits = [];
    for (let turn = 0; !progress.hidden; turn += 1) {
      if (performance.now() - from > LONGEST_MS) throw new Error("the text is not read yet");
      const times = await edit(turn).catch((error) => {
        if (!progress.hidden) throw error;
        return null; // the last one may be overtaken by the job that the text holds
      });
      if (times) edits.push(times);
      await rest(gap);
    }
    return { from, edits, ms: performance.now() - from, said: result.textContent.trim().replace(/\s+/g, " ") };
  };
})();
