// The platform picker: one block beside the form, chosen among groups or found by typing; the choice is
// remembered.
//
// The page comes with every block, each folded under its title, for browsers that run no scripts. With scripts they are
// kept here, as text; a live answer brings only those that are looked at, so the rest is asked for when it is chosen.

import { mark as markChanges } from "./changed.js";
import { recall, remember } from "./store.js";

const KEY = "shm-sizer-platform";
const chosen = document.getElementById("chosen");
const groups = document.querySelector(".platforms .groups");
const lists = [...document.querySelectorAll(".platforms .targets")];
const tabs = lists.flatMap((list) => [...list.querySelectorAll("a")]);
const find = document.getElementById("find");
const nothing = document.getElementById("nothing-found");

let blocks = {}; // target -> HTML, of the answer that is shown
const showing = new WeakMap(); // place -> what was put there: {target, html}
let ask = () => {};
let picked = () => {};

/**
 * Make the lists of links one set of tabs a level.
 *
 * @param {() => void} missing called when a block is looked at that has to be asked for
 * @param {() => void} chose called when somebody has chosen another platform
 */
export function start(missing, chose) {
  takeOut();
  for (const list of [groups, ...lists]) makeTabs(list);
  chosen.setAttribute("role", "tabpanel");
  find.closest("[hidden]").hidden = false;
  find.addEventListener("input", filter);
  find.addEventListener("keydown", leave);
  document.addEventListener("click", follow);
  addEventListener("hashchange", () => pointed() && select(pointed()));
  document.addEventListener("toggle", ({ target }) => openMirrors(target).forEach(fill), { capture: true });
  if (pointed()) select(pointed());
  else turn(tabOf(recall(KEY)) ?? tabs[0]); // what nobody has chosen is not remembered
  ask = missing;
  picked = chose;
}

/** @returns {string} the platform that is looked at; nothing where it is the first */
export const named = () => (current() === tabs[0] ? "" : current().dataset.target);

/**
 * Show a platform that a link names; it is not remembered as this person's choice.
 *
 * @param {string | null} target none: the first
 */
export function reveal(target) {
  const tab = tabOf(target) ?? tabs[0];
  if (tab !== current()) turn(tab);
}

/** @returns {string[]} the targets that are looked at */
export const wanted = () => [current().dataset.target, ...openMirrors(document).map((mirror) => mirror.dataset.mirror)];

/** @returns {string[]} those of them that the answer that is shown did not bring */
export const missing = () => wanted().filter((target) => blocks[target] === undefined);

/**
 * Take over the blocks of an answer; those it does not bring are asked for when they are looked at.
 *
 * @param {Record<string, string>} fresh target -> HTML
 */
export function take(fresh) {
  blocks = fresh;
  refresh();
}

/** @param {Record<string, string>} more blocks of the answer that is shown */
export function add(more) {
  blocks = { ...blocks, ...more };
  refresh();
}

function refresh() {
  show(current());
  for (const mirror of openMirrors(document)) fill(mirror);
}

/** What stands in the page is the first answer. */
function takeOut() {
  for (const block of document.querySelectorAll("[data-block]")) {
    blocks[block.dataset.block] = block.querySelector("noscript").textContent;
  }
  document.getElementById("all-blocks").remove();
}

// ---------------------------------------------------------------- what is shown

const tabOf = (target) => tabs.find((tab) => tab.dataset.target === target);
const pointed = () => tabOf(location.hash.replace(/^#block-/, "")); // what the address names
const current = () => tabs.find((tab) => tab.hasAttribute("data-chosen"));
const openMirrors = (place) => [...place.querySelectorAll("[data-mirror]")].filter((each) => each.closest("details").open);

function show(tab) {
  chosen.setAttribute("aria-label", tab.textContent);
  put(chosen, tab.dataset.target);
}

function fill(mirror) {
  put(mirror, mirror.dataset.mirror, "figure");
}

/** Put a block, or a part of it, into a place that may show it already. */
function put(place, target, part) {
  const html = blocks[target];
  place.setAttribute("aria-busy", String(html === undefined));
  if (html === undefined) return ask();
  const fresh = document.createElement("template");
  fresh.innerHTML = html;
  if (part) fresh.content.replaceChildren(fresh.content.querySelector(part));
  const before = showing.get(place) ?? { html: place.innerHTML };
  const { innerHTML } = fresh;
  showing.set(place, { target, html: innerHTML });
  if (innerHTML === before.html) return;
  const text = place.querySelector("pre")?.textContent;
  const focused = place.querySelector(":focus")?.className;
  place.replaceChildren(fresh.content);
  if (target === before.target) markChanges(place, text);
  if (focused !== undefined) place.querySelector(focused ? `.${focused.split(" ")[0]}` : "pre")?.focus({ preventScroll: true });
}

// ---------------------------------------------------------------- tabs

function makeTabs(list) {
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", list === groups ? "Platforms" : list.dataset.of);
  for (const item of list.children) item.setAttribute("role", "presentation");
  for (const tab of list.querySelectorAll("a")) {
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", chosen.id);
    tab.removeAttribute("aria-current");
  }
  list.addEventListener("keydown", move);
}

/** A link to a block, wherever it stands, chooses it here. */
function follow(event) {
  const link = event.target.closest("a[data-target], a[data-group], a[href^='#block-']");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const list = lists.find((each) => each.dataset.of === link.dataset.group);
  const tab = list ? (list.querySelector("[data-last]") ?? list.querySelector("a")) : tabOf(link.hash.slice("#block-".length));
  if (link.closest("#nothing-found")) find.value = "";
  if (pointed()) history.replaceState(null, "", location.pathname + location.search); // the choice outlives it
  select(tab);
  if (!link.closest(".platforms")) document.getElementById("place").scrollIntoView();
}

/** @param {HTMLAnchorElement} tab of a block, chosen */
function select(tab) {
  turn(tab);
  remember(KEY, tab.dataset.target);
  picked();
}

function turn(tab) {
  const list = tab.closest("ul");
  current()?.removeAttribute("data-chosen");
  list.querySelector("[data-last]")?.removeAttribute("data-last");
  tab.setAttribute("data-chosen", "");
  tab.setAttribute("data-last", "");
  for (const each of lists) mark(each, tab);
  mark(groups, [...groups.querySelectorAll("a")].find((each) => each.dataset.group === list.dataset.of));
  filter();
  show(tab);
}

/** One tab of a list can be reached with Tab: the chosen one, or the first that is seen. */
function mark(list, tab) {
  const all = [...list.querySelectorAll("a")];
  const reached = all.includes(tab) ? tab : all[0];
  for (const each of all) {
    each.setAttribute("aria-selected", String(each === tab));
    each.tabIndex = each === reached ? 0 : -1;
  }
}

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

function move(event) {
  const lying = finding() ? lists.flatMap(seen) : seen(event.currentTarget);
  const at = lying.indexOf(event.target);
  const wanted = { Home: lying[0], End: lying.at(-1) }[event.key] ?? lying.at((at + STEPS[event.key]) % lying.length);
  if (!(event.key in STEPS) && event.key !== "Home" && event.key !== "End") return;
  event.preventDefault();
  wanted.click();
  wanted.focus();
}

const seen = (list) => [...list.querySelectorAll("li:not([hidden]) > a")];

// ---------------------------------------------------------------- finding

const finding = () => find.value.trim() !== "";

/** With words in the box every list shows what has them all; without, the chosen group stands alone. */
function filter() {
  const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
  groups.hidden = words.length > 0;
  for (const list of lists) {
    for (const tab of list.querySelectorAll("a")) {
      tab.parentElement.hidden = !words.every((word) => tab.dataset.words.includes(word));
    }
    list.classList.toggle("found", finding());
    list.hidden = finding() ? seen(list).length === 0 : !list.contains(current());
    const reached = seen(list);
    if (finding() && reached.length && !reached.some((tab) => tab.tabIndex === 0)) reached[0].tabIndex = 0;
  }
  nothing.hidden = !finding() || lists.some((list) => !list.hidden);
  chosen.hidden = current()?.parentElement.hidden ?? false; // never a block beside names it has nothing to do with
}

/** Enter takes the first that was found, an arrow goes to it, Escape clears the box. */
function leave(event) {
  const [first] = lists.flatMap(seen);
  if (event.key === "Escape") find.value = "";
  else if (event.key === "Enter") first?.click();
  else if (event.key === "ArrowDown" && first) first.focus();
  else return;
  if (event.key !== "Escape" || finding()) event.preventDefault();
  filter();
}
