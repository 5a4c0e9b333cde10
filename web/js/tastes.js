// How a person wants to read the page: the unit of sizes, which the engine writes them in, and the theme.

import * as slices from "./slices.js";
import { recall, remember } from "./store.js";

const unit = document.getElementById("unit");
const theme = document.getElementById("theme");
const UNIT = "shm-sizer-unit";
const THEME = "shm-sizer-theme"; // theme.js reads it before the first paint

/**
 * Show what was chosen before, and hear what is chosen now.
 *
 * @param {() => void} changed called when sizes are wanted in another unit
 */
export function start(changed) {
  choose(unit, recall(UNIT));
  choose(theme, document.documentElement.dataset.theme);
  unit.addEventListener("change", () => {
    remember(UNIT, unit.value);
    changed();
  });
  theme.addEventListener("change", () => {
    remember(THEME, theme.value);
    slices.start(); // every colour of the page is another one
    document.documentElement.dataset.theme = theme.value;
  });
  document.getElementById("tastes").hidden = false;
}

/** @returns {{unit: string}} what each request says of it */
export const asked = () => ({ unit: unit.value });

function choose(select, value) {
  if ([...select.options].some((option) => option.value === value)) select.value = value;
}
