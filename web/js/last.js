// The last workload: remembered in this browser, offered on the next visit, taken only when it is asked for.

import { recall, remember } from "./store.js";
import { say } from "./status.js";

const KEY = "shm-sizer-last";
const place = document.getElementById("last-place");

/** @param {(link: string, name: string) => void} take brings it onto the page */
export function start(take) {
  const link = recall(KEY);
  if (!link) return;
  const chip = document.getElementById("last");
  place.hidden = false;
  chip.addEventListener("click", () => take(link, chip.textContent.trim()));
  document.getElementById("last-forget").addEventListener("click", () => forget());
}

/** @param {string} link of the job that stands on the page */
export const keep = (link) => remember(KEY, link);

function forget() {
  remember(KEY, null);
  place.hidden = true;
  document.querySelector(".presets [data-preset]").focus();
  say("Forgotten");
}
