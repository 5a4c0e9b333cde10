// The page comes alive: edits, presets and fixes go to the engine, its fragments into the page.

import * as copy from "./copy.js";
import { Engine } from "./engine.js";
import * as form from "./form.js";
import * as parts from "./parts.js";
import * as paste from "./paste.js";
import * as platforms from "./platforms.js";
import * as reference from "./reference.js";
import * as status from "./status.js";
import { Talk } from "./talk.js";

const WAITING = "Waiting for Python: this answers the earlier input";
const INCOMPLETE = "This answers your last complete input";

const start = JSON.parse(document.getElementById("start").textContent);
const element = document.getElementById("form");
let reshaping = false;
let latest = 0; // counts what people do: an answer that comes late must still be the wanted one

const engine = new Engine((progress) => {
  status.show(progress);
  if (progress.step === "ready" || progress.step === "failed") talk.live = progress.step === "ready";
});

const talk = new Talk(start, ask, {
  typed: form.read,
  parts: (change) => [...parts.names(), "spoken", ...(change || reshaping ? ["form"] : [])],
  wanted: platforms.wanted,
  missing: () => ({ parts: parts.wanted(), targets: platforms.missing() }),
  taste: () => ({}),
  looked,
  answered,
  refused,
  waiting: () => status.outdate(WAITING),
});

/** A fault of the engine is shown like a mistake in the input: in words, under the form. */
function ask(request) {
  return engine.ask(request).catch(({ message }) => ({ ok: false, errors: [{ path: "", message }] }));
}

function answered(answer, change, typed) {
  status.outdate();
  if (talk.live) status.live();
  if (change) form.render(answer.parts.form, change.then);
  else if (answer.parts.form) form.reshape(answer.parts.form);
  form.write(typed);
  const hint = form.mark([], answer.hints);
  reshaping = false;
  parts.take(answer.parts);
  platforms.take(answer.blocks);
  paste.refresh(answer.report.shm.recommended_bytes);
  if (change?.preset) choose(change.preset);
  if (document.activeElement === document.body) document.getElementById(change?.otherwise)?.focus();
  status.say(`${hint} ${parts.text(answer.parts.spoken)}`.trim());
}

function looked({ parts: more, blocks }) {
  parts.add(more);
  platforms.add(blocks);
}

function refused(errors, hints) {
  for (const button of element.querySelectorAll("[data-remove]:disabled")) button.disabled = false;
  const first = form.mark(errors, hints);
  status.live();
  status.outdate(INCOMPLETE);
  status.say(first);
}

// ---------------------------------------------------------------- what people do

element.addEventListener("input", (event) => {
  if (event.target.matches("select")) reshaping = true;
  latest += 1;
  choose("");
  talk.type({ [event.target.name]: form.value(event.target) });
});

element.addEventListener("keydown", form.step);
element.addEventListener("submit", (event) => event.preventDefault());

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-set], [data-like], [data-remove]");
  if (button) alter(button);
  const link = event.target.closest("[data-preset]");
  if (link && !(event.ctrlKey || event.metaKey || event.shiftKey)) {
    event.preventDefault();
    pick(link);
  }
});

/** What a text says about the job goes into the form, and can be taken back. */
function learned({ workload }) {
  const before = talk.workload;
  latest += 1;
  choose("");
  talk.change({ take: workload });
  return () => talk.change({ take: before });
}

function alter(button) {
  const { dataset } = button;
  latest += 1;
  choose("");
  if (dataset.remove) button.disabled = true; // a second click would mean what stands there then
  talk.change({
    set: dataset.like ? like(JSON.parse(dataset.like)) : JSON.parse(dataset.set ?? "{}"),
    remove: JSON.parse(dataset.remove ?? "[]"),
    then: dataset.then,
    otherwise: dataset.otherwise,
  });
}

/** One more loader like the first, as that is when the change has its turn. */
const like = ({ to, name }) => ({ loaders }) => ({ [to]: { ...loaders[0], name } });

/** Before the engine is up a preset's answer comes ready-made, as a file beside its page. */
async function pick(link) {
  const change = { preset: link.dataset.preset };
  const mine = ++latest;
  choose(change.preset);
  if (talk.live) return talk.change(change);
  try {
    const response = await fetch(link.href.replace(/\.html$/, ".json"));
    if (!response.ok) throw new Error(response.statusText);
    const answer = await response.json();
    if (mine === latest) talk.adopt(answer, change);
  } catch {
    if (mine === latest) location.assign(link.href);
  }
}

/** @param {string} preset the one whose values stand in the form, or none */
function choose(preset) {
  for (const chip of document.querySelectorAll("[data-preset]")) {
    if (chip.dataset.preset === preset) chip.setAttribute("aria-current", "true");
    else chip.removeAttribute("aria-current");
  }
}

document.getElementById("retry").addEventListener("click", () => engine.retry());
document.documentElement.classList.add("scripted");
copy.start();
parts.start(() => talk.look());
platforms.start(() => talk.look());
reference.start();
paste.start((piece) => engine.askAside({ paste: piece, workload: talk.workload }), learned);
engine.start();
