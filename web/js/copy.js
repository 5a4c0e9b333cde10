// Copy buttons: the text of the block they stand on, unchanged.

import { say } from "./status.js";

const SHOWN_MS = 2000;

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
    tell(button, "Copied");
  } catch {
    // Not a secure context, or not allowed: leave the text selected, one key from the clipboard.
    getSelection().selectAllChildren(text);
    tell(button, "Selected: press Ctrl+C or ⌘C");
  }
}

function tell(button, words) {
  const label = button.firstChild;
  const before = button.dataset.label ?? label.data;
  button.dataset.label = before;
  label.data = words;
  button.classList.add("done");
  say(words);
  setTimeout(() => {
    label.data = before;
    button.classList.remove("done");
  }, SHOWN_MS);
}
