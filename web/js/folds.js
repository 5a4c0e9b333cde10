// The folds of the form: how many of the inputs in each are not the default, so that a closed one hides no surprise.

import { value } from "./form.js";

const form = document.getElementById("form");

export function start() {
  form.addEventListener("input", show);
  show();
}

/** Count anew: after an edit, and when the form was rendered. */
export function show() {
  for (const fold of form.querySelectorAll("details.fold")) {
    let changed = 0;
    for (const input of fold.querySelectorAll("[data-default]")) {
      const differs = value(input) !== input.dataset.default;
      input.closest(".field").classList.toggle("changed", differs);
      if (differs) changed += 1;
    }
    const state = fold.querySelector(".fold-state");
    state.textContent = changed ? `${changed} ${state.dataset.word}` : "";
  }
}
