// The platform picker: one block beside the form, chosen among groups; the choice is remembered.
//
// All blocks stand further down the page, as one fragment. What is shown elsewhere is a copy of them: the
// chosen one, and those of the step-by-step sections.

const KEY = "shm-sizer-platform";
const chosen = document.getElementById("chosen");
const groups = document.querySelector(".platforms .groups");
const lists = [...document.querySelectorAll(".platforms .targets")];
const tabs = [...document.querySelectorAll(".platforms a")];

/** Make the lists of links one set of tabs a level. */
export function start() {
  for (const list of [groups, ...lists]) makeTabs(list);
  chosen.setAttribute("role", "tabpanel");
  for (const tab of tabs) tab.addEventListener("click", (event) => pick(event, tab));
  const kept = tabs.find((tab) => tab.dataset.target && tab.dataset.target === recall());
  select(kept ?? lists[0].querySelector("a"));
}

/** Copy the blocks anew, after they have changed. */
export function refresh() {
  show(tabs.find((tab) => tab.dataset.target && tab.getAttribute("aria-selected") === "true" && !tab.closest("[hidden]")));
  for (const mirror of document.querySelectorAll("[data-mirror]")) {
    const figure = document.querySelector(`#block-${mirror.dataset.mirror} figure`);
    mirror.replaceChildren(figure.cloneNode(true));
  }
}

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

function pick(event, tab) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  select(tab.dataset.target ? tab : current(listOf(tab.dataset.group)));
}

const listOf = (group) => lists.find((list) => list.dataset.of === group);
const current = (list) => list.querySelector('[aria-selected="true"]') ?? list.querySelector("a");

/** @param {HTMLAnchorElement} tab of a block */
function select(tab) {
  const list = tab.closest("ul");
  for (const each of lists) each.hidden = each !== list;
  mark(list, tab);
  mark(groups, [...groups.querySelectorAll("a")].find((each) => each.dataset.group === list.dataset.of));
  remember(tab.dataset.target);
  show(tab);
}

function mark(list, tab) {
  for (const each of list.querySelectorAll("a")) {
    each.setAttribute("aria-selected", String(each === tab));
    each.tabIndex = each === tab ? 0 : -1;
  }
}

function show(tab) {
  const block = document.getElementById(`block-${tab.dataset.target}`);
  chosen.replaceChildren(...block.cloneNode(true).children);
  chosen.setAttribute("aria-label", tab.textContent);
}

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

function move(event) {
  const all = [...event.currentTarget.querySelectorAll("a")];
  const at = all.indexOf(event.target);
  const wanted = { Home: all[0], End: all.at(-1) }[event.key] ?? all.at((at + STEPS[event.key]) % all.length);
  if (!(event.key in STEPS) && event.key !== "Home" && event.key !== "End") return;
  event.preventDefault();
  wanted.click();
  wanted.focus();
}

function remember(target) {
  try {
    localStorage.setItem(KEY, target);
  } catch {
    // Not allowed here: then it is not remembered.
  }
}

function recall() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
