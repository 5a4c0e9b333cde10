// Types into every input of the form, one after the other or all at once, and notes what the page says.

const form = document.getElementById("form");
const inputs = () => [...form.querySelectorAll("[name]")].filter((input) => input.type !== "checkbox");
const PATIENCE_MS = 20_000;

function type(input, text) {
  if (input.matches("select") && ![...input.options].some((each) => each.value === text)) {
    input.add(new Option("not on the list", text));
  }
  input.value = text;
  input.dispatchEvent(new Event("input", { bubbles: true }));
}

async function until(met) {
  const end = performance.now() + PATIENCE_MS;
  while (!met() && performance.now() < end) await new Promise((go) => setTimeout(go, 4));
}

const invalid = () => [...form.querySelectorAll("[aria-invalid=true]")].map((each) => each.name);
const settled = () => !invalid().length && document.getElementById("stale").hidden;

/** What the page shows now: messages by the input that they describe, and the answer that stays. */
function seen() {
  const shown = [...document.querySelectorAll(".job .error")].filter((each) => each.textContent);
  const said = shown.map((note) => {
    const input = form.querySelector(`[aria-describedby~="${note.id}"]`);
    return [input?.name ?? "", note.checkVisibility() ? note.textContent : "hidden"];
  });
  return {
    said,
    invalid: invalid(),
    stale: document.getElementById("stale").checkVisibility(),
    answer: document.getElementById("recommended").textContent,
  };
}

/** One input after the other: the page after the text, whether it was kept, and after it was mended. */
async function walk(texts) {
  const found = {};
  for (const input of inputs()) {
    const before = input.value;
    type(input, texts[input.name]);
    await until(() => invalid().length);
    const after = seen();
    const kept = input.value === texts[input.name];
    type(input, before);
    await until(settled);
    found[input.name] = { after, kept, mended: seen() };
  }
  return found;
}

/** All at once: the page after the texts, and after each input has its own again. */
async function flood(texts) {
  const all = inputs().filter((input) => input.name in texts);
  const before = all.map((input) => input.value);
  for (const input of all) type(input, texts[input.name]);
  await until(() => invalid().length === all.length);
  const after = seen();
  all.forEach((input, position) => type(input, before[position]));
  await until(settled);
  return { after, mended: seen() };
}
