// The small buttons at the answer: Undo, Copy link, Copy JSON.

import * as address from "./address.js";
import { save } from "./download.js";
import { flash, isOutdated, say } from "./status.js";

const undo = document.getElementById("undo");
const json = document.getElementById("copy-json");
const place = document.getElementById("link-place");
const field = document.getElementById("link-text");

let undoing = "";

/** @param {() => Promise<string>} report the whole answer as JSON text */
export function start(report) {
  undo.addEventListener("click", () => {
    undoing = address.undoable();
    address.undo();
  });
  addEventListener("popstate", refresh);
  document.getElementById("copy-link").addEventListener("click", ({ target }) => copyLink(target.closest("button")));
  json.addEventListener("click", () => copyJson(report()));
  refresh();
}

/** Say what can be undone now. */
export function refresh() {
  const what = address.undoable();
  const focused = document.activeElement === undo;
  undo.disabled = !what;
  undo.title = what;
  undo.setAttribute("aria-label", what ? `Undo: ${what}` : "Undo");
  if (focused && !what) document.getElementById("answer").focus({ preventScroll: true });
}

/** @returns {string} what has just been undone, in words; once */
export function undone() {
  const what = undoing;
  undoing = "";
  return what && `Undone: ${what}.`;
}

/** Copying the whole answer takes Python. */
export const live = () => (json.disabled = false);

async function copyLink(button) {
  const link = address.here();
  try {
    await navigator.clipboard.writeText(link);
    place.hidden = true;
    flash(button, isOutdated(button) ? "Copied, for the earlier answer" : "Copied");
  } catch {
    place.hidden = false;
    field.value = link;
    field.select();
    say("The link is selected: press Ctrl+C or ⌘C");
  }
}

/** The clipboard is asked for at the click, as some browsers want it, and gets the text when it is there. */
async function copyJson(text) {
  const blob = text.then((json) => new Blob([json], { type: "text/plain" }));
  try {
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
    flash(json, isOutdated(json) ? "Copied the earlier answer" : "Copied");
  } catch {
    await text.then(keep, ({ message }) => flash(json, message));
  }
}

function keep(text) {
  save("shm.json", text);
  flash(json, "Saved as shm.json");
}
