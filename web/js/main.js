// The page comes alive: edits, presets and fixes go to the engine, its fragments into the page.

import * as address from "./address.js";
import * as compare from "./compare.js";
import * as copy from "./copy.js";
import * as download from "./download.js";
import { Engine } from "./engine.js";
import * as folds from "./folds.js";
import * as form from "./form.js";
import * as last from "./last.js";
import * as offline from "./offline.js";
import * as parts from "./parts.js";
import * as paste from "./paste.js";
import * as platforms from "./platforms.js";
import { prepared } from "./prepared.js";
import * as presets from "./presets.js";
import * as print from "./print.js";
import * as reference from "./reference.js";
import * as slices from "./slices.js";
import * as status from "./status.js";
import { Talk } from "./talk.js";
import * as tastes from "./tastes.js";
import * as tools from "./tools.js";

const WAITING = "Waiting for Python: this answers the earlier input";
const INCOMPLETE = "This answers your last complete input";
const PAUSE_MS = 1200; // between the first live answer and what is below the calculator

const start = JSON.parse(document.getElementById("start").textContent);
const element = document.getElementById("form");
let reshaping = false;
let failed = false; // the engine, at least once
let visited = false; // it has answered, and the service worker is under way
let picked = 0; // counts the platforms that were chosen
let latest = 0; // counts what people do: an answer that comes late must still be the wanted one

const engine = new Engine((progress) => {
  status.show(progress);
  if (progress.step === "ready" || progress.step === "failed") talk.live = progress.step === "ready";
  if (progress.step !== "failed") return;
  failed = true;
  slices.begin();
});

const talk = new Talk(start, ask, {
  typed: form.read,
  parts: (change) => [...parts.names(), "spoken", ...(change || reshaping ? ["form"] : [])],
  wanted: platforms.wanted,
  missing: () => ({ parts: parts.wanted(), targets: platforms.missing() }),
  taste: () => ({ base: start.base, brief: true, ...tastes.asked(), ...compare.taste() }),
  looked,
  answered,
  refused,
  waiting: () => status.outdate(WAITING),
});

/** A fault of the engine is shown like a mistake in the input: in words, under the form. */
function ask(request) {
  return engine.ask(request).catch(({ message }) => ({ ok: false, errors: [{ path: "", message }] }));
}

function answered(answer, change, typed, request) {
  status.outdate();
  if (talk.live) status.live();
  if (talk.live) tools.live();
  if (talk.live) keep();
  if (change) form.render(answer.parts.form, change.then);
  else if (answer.parts.form) form.reshape(answer.parts.form);
  form.write(typed);
  folds.show();
  const hint = form.mark([], answer.hints);
  reshaping = false;
  const isSame = parts.take(answer.parts, about(answer, request));
  if (isSame) platforms.add(answer.blocks);
  else platforms.take(answer.blocks);
  paste.refresh(answer.report.shm.recommended_bytes);
  settle(answer, change);
  if (document.activeElement === document.body) document.getElementById(change?.otherwise)?.focus();
  const said = [change?.said, ...(answer.notes ?? []), hint, parts.text(answer.parts.spoken)];
  status.say(said.filter(Boolean).join(" "));
}

/** All that what stands on the page depends on. */
const about = ({ link, preset }, { unit = "auto", compare: other = null } = {}) =>
  JSON.stringify([link, preset, unit, other]);

/** What the address, the chips and this browser's memory say follows the answer. */
function settle(answer, change) {
  presets.choose(answer.preset ?? "");
  if (change?.link || change?.walk) compare.set(answer.other ?? null);
  if (change?.link) {
    if (change.picked === picked) platforms.reveal(answer.target);
    status.remark(answer.notes);
  }
  address.note(answer.link, change);
  tools.refresh();
  if (!answer.preset && !change?.walk) last.keep(address.fragment().slice(1));
}

/** Once the first answer has come, nothing that people wait for is in the way of what they do not see. */
function keep() {
  if (visited) return;
  visited = true;
  setTimeout(slices.begin, PAUSE_MS); // the rest of Python and what is kept for offline come first
  offline.live();
}

function looked({ parts: more, blocks }) {
  parts.add(more);
  platforms.add(blocks);
}

/** All that is printed answers what was typed last; without the engine it is right as it stands. */
async function whole() {
  if (!talk.live) return;
  await talk.idle();
  await parts.whole();
}

function refused(errors, hints, notes) {
  for (const button of element.querySelectorAll("[data-remove]:disabled")) button.disabled = false;
  const first = form.mark(errors, hints);
  status.live();
  status.outdate(errors.length ? INCOMPLETE : "");
  if (notes.length) leave(notes);
  status.say([...notes, first].join(" ").trim());
}

/** An address that says nothing: what stands on the page stays, and the address says that again. */
function leave(notes) {
  status.remark(notes);
  address.stay();
}

// ---------------------------------------------------------------- what people do

element.addEventListener("input", (event) => {
  if (event.target.matches("select")) reshaping = true;
  latest += 1;
  presets.choose("");
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
const learned = ({ workload }, series) => take(workload, "what the text says", series);

/** Another job goes into the form; what is returned brings back the one before. */
function take(workload, name, series) {
  const before = talk.workload;
  latest += 1;
  presets.choose("");
  talk.change({ take: workload, name, series });
  return () => take(before, "taking the text back");
}

function alter(button) {
  const { dataset } = button;
  latest += 1;
  presets.choose("");
  if (dataset.remove) button.disabled = true; // a second click would mean what stands there then
  talk.change({
    set: dataset.like ? like(JSON.parse(dataset.like)) : JSON.parse(dataset.set ?? "{}"),
    remove: JSON.parse(dataset.remove ?? "[]"),
    then: dataset.then,
    otherwise: dataset.otherwise,
    name: nameOf(button),
  });
}

/** What a button does, for the one that undoes it. */
function nameOf(button) {
  const words = button.cloneNode(true);
  for (const each of words.querySelectorAll("[aria-hidden]")) each.remove();
  return (button.getAttribute("aria-label") ?? words.textContent).trim().replace(/\s+/g, " ");
}

/** One more loader like the first, as that is when the change has its turn. */
const like = ({ to, name }) => ({ loaders }) => ({ [to]: { ...loaders[0], name } });

/** Before the engine is up a preset's answer comes ready-made, as a file beside its page. */
async function pick(link, more = { name: nameOf(link) }) {
  const change = { preset: link.dataset.preset, ...more };
  const mine = ++latest;
  presets.choose(change.preset);
  if (talk.live || !prepared) return talk.change(change);
  try {
    const answer = await prepared(link);
    if (mine === latest) talk.adopt(answer, change);
  } catch {
    if (mine !== latest) return;
    if (failed) location.assign(link.href);
    else talk.change(change); // no network: the engine, which is kept, will be up soon
  }
}

/**
 * Bring back what the address names.
 *
 * @param {string | null} link none: what the page opens with
 * @param {boolean} arriving whether the page has just been opened
 */
function walk(link, arriving) {
  const more = { walk: true, said: tools.undone() };
  if (link === null) return pick(document.getElementById(`preset-${start.preset}`), more);
  latest += 1;
  presets.choose("");
  return talk.change({ link, picked, first: arriving, ...more });
}

/** The whole answer, for all platforms, as the command line prints it. */
async function report() {
  const answer = await engine.askAside({ workload: talk.workload, printed: true, parts: [] });
  return answer.printed;
}

document.documentElement.classList.add("scripted"); // js/theme.js has done so, if it has come
document.getElementById("retry").addEventListener("click", () => engine.retry());
copy.start();
download.start();
parts.start(() => talk.look(), about(start));
platforms.start(() => talk.look(), () => {
  picked += 1;
  address.later();
});
presets.start();
reference.start();
folds.start();
paste.start((piece) => engine.askAside({ paste: piece, workload: talk.workload, ...tastes.asked() }), learned);
tools.start(report);
compare.start({
  current: () => ({ workload: talk.workload, link: address.job() }),
  settle: address.flush,
  take: (workload) => take(workload, "swapping the two jobs"),
  preset: (preset) => engine.askAside({ preset, parts: [], targets: [] }),
  changed: address.later,
  say: status.say,
});
if (!address.isNamed()) last.start((link, name) => talk.change({ link, name, picked }));
address.start(start.link, { platform: platforms.named, compared: compare.link }, walk);
tastes.start(() => talk.again());
print.start(whole, address.here);
offline.start({ leave: address.flush, say: status.say });
engine.start();
slices.soon();
