// The page's fragments: each stands in an element with data-part and is replaced only where it changed.
//
// An answer brings what can be seen. The rest keeps its old content, is asked for when it comes into view or
// when people pause, and is then right as well: for printing, for finding in the page, for readers.

const PAUSE_MS = 400;
const MARGIN = "300px"; // what is nearly in view counts as seen

/** The form is not among them: it is rendered anew by form.js, and rarely. */
const places = [...document.querySelectorAll("[data-part]:not([data-part=form])")];

const seen = new Set(); // places in view
let stale = new Set(); // names whose fragments answer something else
let about = ""; // what the last answer was about
let timer = 0;
let paused = false;
let ask = () => {};
let waiting = []; // told when nothing is old

const nameOf = (place) => place.dataset.part;

/**
 * Watch what comes into view.
 *
 * @param {() => void} missing called when a fragment is wanted that has to be asked for
 * @param {string} opening what the page arrived about
 */
export function start(missing, opening) {
  ask = missing;
  about = opening;
  const observer = new IntersectionObserver(look, { rootMargin: MARGIN });
  for (const place of places) observer.observe(place);
}

function look(entries) {
  for (const { target, isIntersecting } of entries) {
    if (isIntersecting) seen.add(target);
    else seen.delete(target);
  }
  if (wanted().length) ask();
}

/** @returns {string[]} names of the fragments in view, and of the one that has the focus */
export const names = () => unique(places.filter((place) => seen.has(place) || place.matches(":focus-within")).map(nameOf));

/** @returns {string[]} names to ask for beside an answer: what is in view and old, or one more in a pause */
export function wanted() {
  if (waiting.length) return [...stale];
  const old = names().filter((name) => stale.has(name));
  return old.length || !paused ? old : [...stale].slice(0, 1);
}

/**
 * Take over the fragments of an answer.
 *
 * @param {Record<string, string>} parts name -> HTML
 * @param {string} of what they are about: where that is what the others are about, too, none of them is old
 * @returns {boolean} whether it is
 */
export function take(parts, of) {
  const isSame = of === about;
  about = of;
  stale = new Set(places.map(nameOf).filter((name) => parts[name] === undefined && (!isSame || stale.has(name))));
  put(parts);
  pause();
  return isSame;
}

/** @param {Record<string, string>} parts more of the answer that is shown */
export function add(parts) {
  for (const name of Object.keys(parts)) stale.delete(name);
  put(parts);
  mark();
  if (stale.size && (paused || waiting.length)) ask();
}

/**
 * Ask for a fragment because what it is made of has changed, not the job.
 *
 * @param {string} name
 */
export function reveal(name) {
  stale.add(name);
  if (names().includes(name)) ask();
  else pause();
}

/** @returns {Promise<void>} once every fragment is right, which is seen to at once */
export function whole() {
  return new Promise((resolve) => {
    waiting.push(resolve);
    pause();
  });
}

/** Ask for one old fragment after the other while nobody types. */
function pause() {
  mark();
  clearTimeout(timer);
  paused = false;
  if (waiting.length) ask();
  else if (stale.size) timer = setTimeout(go, PAUSE_MS);
}

function go() {
  paused = true;
  ask();
}

/** On paper what is old is left out. */
function mark() {
  for (const place of places) place.toggleAttribute("data-old", stale.has(nameOf(place)));
  if (!stale.size) for (const resolve of waiting.splice(0)) resolve();
}

const unique = (names) => [...new Set(names)];

function put(parts) {
  for (const place of places) {
    const html = parts[nameOf(place)];
    if (html !== undefined) replace(place, html);
  }
}

/**
 * Replace an element's content and keep the focus on what has the same id afterwards, and open what was open.
 *
 * @param {Element} place
 * @param {string} html
 */
function replace(place, html) {
  const fresh = document.createElement("template");
  fresh.innerHTML = html;
  for (const fold of place.querySelectorAll("details[id]")) {
    fresh.content.getElementById(fold.id)?.toggleAttribute("open", fold.open);
  }
  if (fresh.innerHTML === place.innerHTML) return;
  const focused = place.contains(document.activeElement) ? document.activeElement.id : "";
  place.replaceChildren(fresh.content);
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
}

/**
 * @param {string} html
 * @returns {string} its text, in one line
 */
export function text(html) {
  const holder = document.createElement("template");
  holder.innerHTML = html;
  return holder.content.textContent.trim().replace(/\s+/g, " ");
}
