// Two jobs side by side: one is kept here, the other is the form's; the engine compares them.

import { reveal } from "./parts.js";

const PART = "compare";
const section = document.getElementById(PART);
const choice = document.getElementById("compare-preset");
const button = (name) => document.getElementById(`compare-${name}`);

let kept = null; // what the form's job is held against
let own = null; // the same, unless that is a preset
let now = () => null;

/** @returns {object | null} the job that was kept */
export const other = () => kept;

/** @returns {object} what every request carries */
export const taste = () => (kept ? { compare: kept } : {});

/**
 * Keep a job, or none; the section shows itself with it.
 *
 * @param {object | null} workload
 */
export function set(workload) {
  own = workload;
  choice.value = "";
  hold(workload);
}

function hold(workload) {
  kept = workload;
  section.hidden = button("see").hidden = !kept;
  if (kept) reveal(PART);
}

/**
 * @param {{
 *   current: () => object,
 *   take: (workload: object) => void,
 *   preset: (id: string) => Promise<object | null>,
 *   say: (words: string) => void,
 * }} page the form's job, how another one gets there, the job of a preset, what is read aloud
 */
export function start({ current, take, preset, say }) {
  now = current;
  button("keep").addEventListener("click", () => {
    set(now());
    say("Kept. Change the form, and both jobs are compared.");
  });
  button("again").addEventListener("click", () => {
    set(now());
    say("Kept instead.");
  });
  button("swap").addEventListener("click", () => swap(take));
  button("stop").addEventListener("click", () => {
    set(null);
    button("keep").focus();
    say("No longer compared.");
  });
  choice.addEventListener("change", async () => {
    const wanted = choice.value;
    const workload = wanted ? await preset(wanted) : own;
    if (workload && choice.value === wanted) hold(workload);
  });
}

/** The kept job goes into the form, and the form's is kept. */
function swap(take) {
  const wanted = kept;
  set(now());
  take(wanted);
}
