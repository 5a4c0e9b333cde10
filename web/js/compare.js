// Two jobs side by side: one is kept here, the other is the form's; the engine compares them.

import { reveal } from "./parts.js";

const PART = "compare";
const section = document.getElementById(PART);
const choice = document.getElementById("compare-preset");
const button = (name) => document.getElementById(`compare-${name}`);

/** @typedef {{workload: object, link: string}} Job */

let kept = null; // what the form's job is held against
let own = null; // the same, unless that is a preset
let changed = () => {};

/** @returns {object} what every request carries */
export const taste = () => (kept ? { compare: kept.workload } : {});

/** @returns {string} of the job that was kept; nothing without one */
export const link = () => kept?.link ?? "";

/**
 * Keep a job, or none; the section shows itself with it.
 *
 * @param {Job | null} job
 */
export function set(job) {
  own = job;
  choice.value = "";
  hold(job);
}

function hold(job) {
  kept = job;
  section.hidden = button("see").hidden = !kept;
  button("keep").hidden = Boolean(kept);
  if (kept) reveal(PART);
  changed();
}

/**
 * @param {{
 *   current: () => Job,
 *   settle: () => void,
 *   take: (workload: object) => void,
 *   preset: (id: string) => Promise<Job & {ok: boolean}>,
 *   changed: () => void,
 *   say: (words: string) => void,
 * }} page the form's job, how it gets into the history, how another one gets into the form, the job of a preset,
 *   who has to know of a change, what is read aloud
 */
export function start({ current, settle, take, preset, changed: told, say }) {
  changed = told;
  button("keep").addEventListener("click", () => {
    set(current());
    button("see").focus();
    say("Kept. Change the form, and both jobs are compared.");
  });
  button("again").addEventListener("click", () => {
    set(current());
    say("Kept instead.");
  });
  button("swap").addEventListener("click", () => {
    const wanted = kept;
    settle(); // Undo goes back to the comparison as it was
    own = kept = current();
    choice.value = "";
    take(wanted.workload);
  });
  button("stop").addEventListener("click", () => {
    set(null);
    button("keep").focus();
    say("No longer compared.");
  });
  choice.addEventListener("change", async () => {
    const wanted = choice.value;
    const job = wanted ? await preset(wanted).catch(() => null) : own;
    if (job && choice.value === wanted) hold(job);
  });
}
