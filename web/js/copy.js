// Copy buttons: the text of the block they stand on, unchanged.

import { flash, isOutdated } from "./status.js";

/** Hear every copy button, also those that come later. */
export function start() {
  document.addEventListener("click", (event) => {
    const button = event.target.closest(".copy");
    if (button) copy(button);
  });
}

async function copy(button) {
  const text = button.closest("figure").querySelector("pre");
  try {
    await navigator.clipboard.writeText(text.textContent);
    flash(button, isOutdated(button) ? "Copied the earlier answer" : "Copied");
  } catch {
    // Not a secure context, or not allowed: leave the text selected, one key from the clipboard.
    getSelection().selectAllChildren(text);
    flash(button, "Selected: press Ctrl+C or ⌘C");
  }
}
