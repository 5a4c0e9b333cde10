// The box for what people have: a log, df, code, a config, a manifest; pasted, typed, dropped or opened.
//
// The text goes to the engine in pieces, one after the other, so that edits are answered between them and
// a large log can be given up at any time. Nothing of it leaves the page.

import { isWithin } from "./address.js";
import { reach } from "./form.js";
import { say } from "./status.js";

const PIECE = 1 << 17; // characters: what the engine reads in a fraction of a second
const LARGE = 1 << 19; // a text this long is read, but not put into the box
const PAUSE_MS = 300;

const box = document.getElementById("paste");
const file = document.getElementById("paste-file");
const result = document.getElementById("paste-result");
const progress = document.getElementById("paste-progress");
const bar = progress.querySelector("progress");
const words = document.getElementById("paste-words");

let latest = 0; // counts the texts: of an older one nothing is shown
let timer = 0;
let ask;
let found;
let held; // the text in hand, for another look at it with a choice made
let line; // the probe's own line in it, which alone is held against another job
let chosen = {}; // what a person said of it: its kind, a container
let said = ""; // the last answer, read aloud once
let size = 0; // what is recommended
let takeBack; // as long as what was read stands in the form
let series; // a text that is edited in the box is one change of the form, whatever it says in between
let before = ""; // what stood in the box before the last edit
let pasted; // what is about to be put into the box at once
let another = false; // whether the text has been replaced since the last one that was learned from
let depends = false; // whether what it says depends on the job in the form
let compares = false; // whether it is held against that job

/**
 * @param {(paste: object) => Promise<object>} send hands one piece to the engine
 * @param {(answer: {workload: object}, series: string) => () => void} learned takes over what a text says about the job, and
 *   returns what takes it back
 */
export function start(send, learned) {
  ask = send;
  document.getElementById("paste-place").hidden = false;
  found = learned;
  box.addEventListener("input", () => {
    clearTimeout(timer);
    another ||= isAnother(box.value);
    before = box.value;
    pasted = undefined;
    timer = setTimeout(() => read(box.value), PAUSE_MS);
  });
  box.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    pasted = text.replaceAll(/\r\n?/g, "\n");
    if (text.length < LARGE) return;
    another = true;
    event.preventDefault();
    read(text);
  });
  file.addEventListener("change", () => open(file.files[0]));
  document.getElementById("paste-cancel").addEventListener("click", clear);
  result.addEventListener("click", act);
  for (const type of ["dragenter", "dragover"]) document.addEventListener(type, hover);
  for (const type of ["dragleave", "drop"]) document.addEventListener(type, () => document.body.classList.remove("dropping"));
  document.addEventListener("drop", drop);
}

/**
 * The job has been answered anew: a mended file is to have its size.
 *
 * @param {number} recommended bytes
 */
export function refresh(recommended) {
  const changed = recommended !== size || compares; // the model's level may move where the rounded size does not
  size = recommended;
  const text = line ?? held;
  if (changed && depends && text !== undefined) hand(pieces(text), text.length, chosen, true);
}

function hover(event) {
  if (!event.dataTransfer?.types.includes("Files")) return;
  event.preventDefault();
  document.body.classList.add("dropping");
}

function drop(event) {
  const [dropped] = event.dataTransfer?.files ?? [];
  if (!dropped) return;
  event.preventDefault();
  open(dropped);
}

// ---------------------------------------------------------------- reading

/** @param {string} text */
function read(text, choice = {}) {
  held = text;
  line = undefined;
  chosen = choice;
  depends = false;
  if (!text.trim()) return clear();
  return hand(pieces(text), text.length, choice);
}

/** @param {File} [chosen] read as it streams in, never as a whole unless it is small */
function open(chosen) {
  if (!chosen) return;
  file.value = "";
  box.value = "";
  forget();
  if (chosen.size < LARGE) return chosen.arrayBuffer().then((bytes) => {
    const text = new TextDecoder(encoding(bytes)).decode(bytes);
    box.value = before = text;
    return read(text);
  });
  return hand(stream(chosen), chosen.size, {});
}

/** PowerShell writes UTF-16, everyone else UTF-8. */
function encoding(bytes) {
  const [first, second] = new Uint8Array(bytes.slice(0, 2));
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return second === 0 || (first === 0xff && second === 0xfe) ? "utf-16le" : "utf-8";
}

function* pieces(text) {
  for (let at = 0; at < text.length; ) {
    const split = /[\ud800-\udbff]/.test(text[at + PIECE - 1] ?? ""); // never in the middle of a character
    yield text.slice(at, (at += PIECE + Number(split)));
  }
}

async function* stream(chosen) {
  const decoder = new TextDecoder(encoding(await chosen.slice(0, 2).arrayBuffer()));
  for (let at = 0; at < chosen.size; at += PIECE) {
    const part = await chosen.slice(at, at + PIECE).arrayBuffer();
    yield decoder.decode(part, { stream: at + PIECE < chosen.size });
  }
}

async function hand(texts, total, choice, anew = false) {
  const mine = ++latest;
  let done = 0;
  let first = true;
  show(0, total);
  try {
    for await (const chunk of texts) {
      await ask({ chunk, first });
      if (mine !== latest) return;
      first = false;
      done += chunk.length;
      show(done, total);
    }
    const answer = await ask({ last: true, first, ...choice });
    if (mine === latest) tell(answer, anew);
  } catch (error) {
    if (mine === latest) complain(error.message);
  }
}

function show(done, total) {
  progress.hidden = false; // its style lets it be seen only after a while
  bar.max = total || 1;
  bar.value = done;
  words.textContent = `Reading ${Math.min(100, Math.floor((100 * done) / total))} %`;
}

// ---------------------------------------------------------------- what it says

function tell({ ok, paste, errors }, anew) {
  progress.hidden = true;
  if (!ok) return complain(errors.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join("; "));
  compares = paste.kind === "probe";
  line = paste.line ?? undefined;
  depends = compares || paste.kind === "manifest" || (paste.kind === "log" && !paste.workload);
  if (anew && compares) return compareAnew(paste);
  if (result.innerHTML !== paste.html) result.innerHTML = paste.html;
  result.hidden = false;
  if (said !== paste.said) say(paste.said);
  said = paste.said;
  if (paste.workload) learn(paste);
}

/** What was put into the form stays said; only what is held against the form's job is new. */
function compareAnew(paste) {
  const made = document.createElement("template");
  made.innerHTML = paste.html;
  result.querySelector("[data-anew]")?.replaceWith(made.content.querySelector("[data-anew]"));
  if (said !== paste.said) say(paste.said);
  said = paste.said;
}

function learn(paste) {
  const goesOn = takeBack && !another && isWithin(series);
  another = false;
  if (!goesOn) series = String(Date.now());
  const back = found(paste, series);
  if (!goesOn) takeBack = back;
}

function complain(message) {
  progress.hidden = true;
  const tools = Object.assign(document.createElement("div"), { className: "paste-tools" });
  tools.append(Object.assign(document.createElement("button"), { type: "button", className: "button small clear", textContent: "Clear" }));
  result.replaceChildren(Object.assign(document.createElement("p"), { className: "error", textContent: message }), tools);
  result.hidden = false;
  say(message);
}

/** Whether a text takes the place of the one before it: what is edited keeps half of that, or more. */
function isAnother(text) {
  if (text === pasted) return true;
  const most = Math.min(text.length, before.length);
  let same = 0;
  while (same < most && text[same] === before[same]) same += 1;
  let after = 0;
  while (after < most - same && text.at(-1 - after) === before.at(-1 - after)) after += 1;
  return same + after < before.length / 2;
}

function clear() {
  latest += 1;
  clearTimeout(timer);
  box.value = "";
  forget();
  result.replaceChildren();
  result.hidden = true;
  progress.hidden = true;
}

function forget() {
  held = undefined;
  line = undefined;
  chosen = {};
  takeBack = undefined;
  another = true;
  before = box.value;
}

function act(event) {
  const link = event.target.closest("[data-reach]");
  if (link && reach(link.dataset.reach)) event.preventDefault();
  const button = event.target.closest("button");
  if (button?.dataset.choice && held !== undefined) read(held, { ...chosen, ...JSON.parse(button.dataset.choice) });
  if (button?.matches(".undo")) {
    takeBack?.();
    takeBack = undefined;
    for (const each of result.querySelectorAll("[data-put]")) each.remove(); // it is out of the form
    result.querySelector(".taken-back").hidden = false;
    result.querySelector(".clear").focus();
    button.remove();
  }
  if (button?.matches(".clear")) {
    clear();
    box.focus();
  }
}
