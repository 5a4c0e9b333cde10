// The workloads people start from: finding one by words, and marking the one whose values stand in the form.

const find = document.getElementById("find-preset");
const about = document.getElementById("preset-about");
const folded = document.getElementById("preset-folded");
const none = document.getElementById("no-preset");
const panel = document.getElementById("more-presets");
const links = [...document.querySelectorAll(".presets [data-words]")];
let wasOpen = false; // the panel, before somebody searched

export function start() {
  document.getElementById("find-preset-place").hidden = false;
  find.addEventListener("input", filter);
  find.addEventListener("keydown", leave);
}

/** @param {string} preset the one whose values stand in the form, or none */
export function choose(preset) {
  for (const link of document.querySelectorAll("[data-preset]")) {
    if (link.dataset.preset === preset) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  const chosen = links.find((link) => link.dataset.preset === preset);
  const copy = chosen?.parentElement.querySelector(".about").cloneNode(true).childNodes;
  about.replaceChildren(...(copy ?? [about.dataset.own]));
  if (folded) folded.textContent = panel.contains(chosen ?? null) ? `: ${chosen.textContent}` : "";
}

// ---------------------------------------------------------------- finding

const words = () => find.value.toLowerCase().split(/\s+/).filter(Boolean);
const found = () => links.filter((link) => !link.parentElement.hidden);

/** With words in the box only what has them all is seen, and the panel is open. */
function filter() {
  const wanted = words();
  const finding = wanted.length > 0;
  if (finding && !find.dataset.finding) wasOpen = panel?.open;
  for (const link of links) {
    link.parentElement.hidden = !wanted.every((word) => link.dataset.words.includes(word));
  }
  for (const group of panel?.querySelectorAll("section") ?? []) group.hidden = !group.querySelector("li:not([hidden])");
  if (panel) {
    panel.hidden = !panel.querySelector("li:not([hidden])");
    if (finding || find.dataset.finding) panel.open = finding || wasOpen;
  }
  none.hidden = found().length > 0;
  find.dataset.finding = finding ? "yes" : "";
}

/** Enter takes the first that was found, an arrow goes to it, Escape clears the box. */
function leave(event) {
  const [first] = words().length ? found() : [];
  if (event.key === "Escape") find.value = "";
  else if (event.key === "Enter") first?.click();
  else if (event.key === "ArrowDown") first?.focus();
  else return;
  event.preventDefault();
  filter();
}
