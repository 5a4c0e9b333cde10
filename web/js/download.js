// Download buttons: the text of the block they stand on, as the file that it is.

import { flash, isOutdated } from "./status.js";

/** Hear every download button, also those that come later. */
export function start() {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-download]");
    if (!button) return;
    save(button.dataset.download, button.closest("figure").querySelector("pre").textContent);
    flash(button, isOutdated(button) ? "Saved the earlier answer" : "Saved");
  });
}

/**
 * Give a text to the browser to keep; nothing is sent anywhere.
 *
 * @param {string} name of the file
 * @param {string} text what it holds
 */
export function save(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href));
}
