// What the page says about itself: the engine's start, its failure, and one short sentence for screen readers.

const status = document.getElementById("status");
const failure = document.getElementById("failure");
const stale = document.getElementById("stale");
const remarks = document.getElementById("remarks");
const region = document.getElementById("say");

const QUIET_MS = 600;
const FLASHED_MS = 2000;
const STEPS = {
  fetch: "Fetching Python…",
  unpack: "Unpacking Python…", // in the single file
  start: "Starting Python…",
  import: "Loading the engine…",
};

const flashing = new WeakMap(); // button -> timer
let pending = 0;
let said = "";

/**
 * Have one sentence read aloud, once things have settled; the newest replaces what was not read yet.
 *
 * @param {string} sentence
 */
export function say(sentence) {
  clearTimeout(pending);
  if (sentence === said) region.textContent = "";
  said = sentence;
  pending = setTimeout(() => (region.textContent = sentence), QUIET_MS);
}

/**
 * Say on a button what it has done, for a moment, and aloud.
 *
 * @param {HTMLButtonElement} button whose label is its first text
 * @param {string} words
 */
export function flash(button, words) {
  const label = button.firstChild;
  const before = (button.dataset.label ??= label.data);
  clearTimeout(flashing.get(button));
  label.data = words;
  button.classList.add("done");
  say(words);
  const end = () => {
    label.data = before;
    button.classList.remove("done");
  };
  flashing.set(button, setTimeout(end, FLASHED_MS));
}

/** @param {import("./engine.js").Progress} progress */
export function show({ step, reason }) {
  const failed = step === "failed";
  failure.hidden = !failed;
  if (failed) {
    set("failed", "Not live");
    const words = `The calculator could not start (${reason}). The answers for the workloads stay right; your edits are kept.`;
    document.getElementById("failure-text").textContent = words;
    say(words);
  } else if (step !== "ready") {
    set("loading", STEPS[step]);
  }
}

/** The engine has answered: every edit counts at once from here on. */
export function live() {
  set("live", "Live");
}

function set(state, words) {
  status.dataset.state = state;
  status.textContent = words;
}

/**
 * Mark the answer as one to an earlier input, or as right again.
 *
 * @param {string} [why] none: it is right
 */
export function outdate(why = "") {
  stale.textContent = why;
  stale.hidden = !why;
  document.body.classList.toggle("outdated", Boolean(why));
}

/**
 * Show what is to be known of a link that was followed, until it is closed.
 *
 * @param {string[]} notes none hides it
 */
export function remark(notes) {
  remarks.hidden = !notes.length;
  document.getElementById("remarks-text").textContent = notes.join(" ");
}

document.getElementById("remarks-close").addEventListener("click", () => {
  remark([]);
  document.getElementById("answer").focus({ preventScroll: true });
});

/** Whether an element belongs to an answer that is marked as one to an earlier input. */
export const isOutdated = (element) => document.body.classList.contains("outdated") && Boolean(element.closest("[data-answer], [data-mirror], #answer"));
