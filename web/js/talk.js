// What the page asks the engine, one request at a time.
//
// Typing only notes that the form has changed: the request is made of what stands in it when its turn
// comes, so the newest input wins and none is lost while the engine starts. A change of structure (a
// preset, a fix, a field more or less) waits its turn, after what was typed before it: positions of the
// form's inputs are those of the form as it stands. It renders the form anew, so what was typed while it
// was on its way, or could not be answered before, is handed back to be written into the new form.
//
// Another job in the form ends what was typed before, and what was typed since belongs on top of it. What an address
// names when the page opens is the `first` job: there was nothing before it.

/**
 * @typedef {Record<string, string>} Typed dotted path -> text
 * @typedef {{preset?: string, take?: object, link?: string, first?: boolean, set?: object | ((workload: object) => object), remove?: string[], then?: string}} Change
 * @typedef {import("./form.js").Remark} Remark
 * @typedef {({ok: true, workload: object, parts: Record<string, string>, blocks: Record<string, string>}
 *   | {ok: false, errors: Remark[]}) & {hints?: Remark[]}} Answer
 * @typedef {{
 *   typed: () => object,
 *   parts: (change: Change | null) => string[],
 *   wanted: () => string[],
 *   missing: () => {parts: string[], targets: string[]},
 *   taste: () => object,
 *   looked: (answer: Answer) => void,
 *   answered: (answer: Answer, change: Change | null, typed: Typed, request?: object) => void,
 *   refused: (errors: Remark[], hints: Remark[], notes: string[]) => void,
 *   waiting: () => void,
 * }} View
 */

export class Talk {
  #preset; // whose values these are, until something is changed
  #workload;
  #ask;
  #view;
  #live = false;
  #busy = false;
  #running = null; // what is done while busy
  #typed = false;
  #looking = false; // whether something is looked at that the last answer did not bring
  #since = {}; // what was typed since the last change of structure was sent
  #unanswered = {}; // what the engine refused: still in the form, not in the workload
  #wrong = []; // what it said of that
  #changes = [];
  #round = 0;

  /**
   * @param {{preset: string, workload: object}} start what the page opens with
   * @param {(request: object) => Promise<Answer | null>} ask
   * @param {View} view
   */
  constructor({ preset, workload }, ask, view) {
    this.#preset = preset;
    this.#workload = workload;
    this.#ask = ask;
    this.#view = view;
  }

  get live() {
    return this.#live;
  }

  /** The job as it was last answered. */
  get workload() {
    return this.#workload;
  }

  /** @param {boolean} live whether the engine answers */
  set live(live) {
    this.#live = live;
    this.#typed ||= live; // the first answer comes unasked: from then on the page is known to be live
    if (live) this.#proceed();
  }

  /** @param {Typed} typed what has changed in the form */
  type(typed) {
    this.#preset = "";
    this.#typed = true;
    Object.assign(this.#since, typed);
    return this.#proceed();
  }

  /** @param {Change} change */
  change(change) {
    if (isWhole(change) && !change.first) this.#forget();
    this.#preset = change.preset ?? "";
    this.#changes.push(change);
    return this.#proceed();
  }

  /** Ask for what is looked at and was not brought by the last answer. */
  look() {
    if (!this.#live) return;
    this.#looking = true;
    return this.#proceed();
  }

  /** Ask the same once more: something beside the job has changed, such as the unit of sizes. */
  again() {
    if (!this.#live) return;
    this.#typed = true;
    return this.#proceed();
  }

  /** @returns {Promise<void>} once what was asked so far is answered */
  async idle() {
    await this.#running;
  }

  /**
   * Take over an answer that was not asked for here; what is still open belongs to the past.
   *
   * @param {Answer} answer
   * @param {Change} change
   */
  adopt(answer, change) {
    this.#forget();
    this.#preset = change.preset ?? "";
    this.#workload = answer.workload;
    this.#view.answered(answer, change, {});
  }

  #forget() {
    this.#round += 1;
    this.#typed = false;
    this.#since = {};
    this.#unanswered = {};
    this.#wrong = [];
    this.#changes = [];
  }

  async #proceed() {
    if (!this.#live) this.#view.waiting();
    if (!this.#live || this.#busy) return;
    this.#busy = true;
    await (this.#running = this.#loop());
  }

  async #loop() {
    try {
      while (this.#typed || this.#changes.length || this.#looking) await this.#step();
    } finally {
      this.#busy = false;
    }
  }

  async #step() {
    const looking = !this.#typed && !this.#changes.length;
    this.#looking = false; // every answer brings what is looked at
    await (looking ? this.#stepAside() : this.#stepOn());
  }

  async #stepAside() {
    const { parts, targets } = this.#view.missing();
    if (!parts.length && !targets.length) return;
    const round = this.#round;
    const answer = await this.#ask({ ...this.#asAnswered(), ...this.#view.taste(), parts, targets });
    const overtaken = round !== this.#round || this.#typed || this.#changes.length;
    if (!overtaken && answer?.ok) this.#view.looked(answer);
  }

  async #stepOn() {
    const round = this.#round;
    const change = this.#typed && !isWhole(this.#changes[0]) ? null : this.#changes.shift();
    this.#typed = false;
    const before = this.#since;
    this.#since = {};
    if (change) this.#keep(before);
    const request = this.#request(change);
    const answer = await this.#ask(request);
    if (round !== this.#round) return;
    const overtaken = !answer || (!change && this.#typed);
    if (overtaken) return this.#keep(change ? {} : before);
    if (!answer.ok) return this.#refuse(answer, change, before);
    this.#workload = answer.workload;
    this.#wrong = [];
    if (!change) this.#unanswered = {};
    const typed = change ? this.#carry(change) : {};
    if (change?.link && !this.#typed) this.#preset = answer.preset ?? "";
    this.#view.answered(answer, change, typed, request);
  }

  /** What a request that came to nothing was about is still to be said. */
  #keep(typed) {
    this.#unanswered = { ...this.#unanswered, ...typed };
  }

  /** A change that is refused leaves the form as it was, with what was wrong there before. */
  #refuse({ errors, hints = [], notes = [] }, change, typed) {
    if (!change) this.#keep(typed);
    const wrong = change ? [...this.#wrong, ...errors] : errors;
    if (!change) this.#wrong = errors;
    this.#looking = true; // what was asked for in between was given up
    this.#view.refused(wrong, hints, notes);
  }

  /** What a new form has to take over; after a removal it stands at other positions, or is gone. */
  #carry({ remove = [] }) {
    const typed = Object.entries({ ...this.#unanswered, ...this.#since });
    const moved = typed.map(([path, text]) => [remove.reduce(after, path), text]);
    const kept = moved.filter(([path]) => path);
    this.#typed ||= kept.length > 0;
    this.#unanswered = Object.fromEntries(kept);
    this.#since = {};
    return this.#unanswered;
  }

  #request(change) {
    const parts = this.#view.parts(change);
    return { ...this.#question(change), ...this.#view.taste(), parts, targets: this.#view.wanted() };
  }

  #question(change) {
    if (!change) return this.#typedQuestion();
    if (change.preset) return { preset: change.preset };
    if (change.take) return { workload: change.take };
    if (change.link) return { link: change.link };
    const set = typeof change.set === "function" ? change.set(this.#workload) : change.set;
    return { workload: this.#workload, set: set ?? {}, remove: change.remove ?? [] };
  }

  #typedQuestion() {
    return this.#preset ? { preset: this.#preset } : { workload: this.#workload, set: this.#view.typed() };
  }

  #asAnswered() {
    return this.#preset ? { preset: this.#preset } : { workload: this.#workload };
  }
}

/** Whether a change puts another job into the form. */
const isWhole = (change) => Boolean(change && (change.preset || change.take || change.link));

/**
 * @param {string} path of an input, or nothing
 * @param {string} removed path of a list entry
 * @returns {string} where the input stands once the entry is removed; nothing if it went with it
 */
function after(path, removed) {
  const at = removed.lastIndexOf(".") + 1;
  const list = removed.slice(0, at);
  if (!path.startsWith(list)) return path;
  const [position, ...rest] = path.slice(at).split(".");
  const gone = Number(removed.slice(at));
  if (Number(position) === gone) return "";
  return [list + (Number(position) - (Number(position) > gone)), ...rest].join(".");
}
