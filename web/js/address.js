// The address says what stands on the page: behind # the job and the platform, as the engine writes them.
//
// Typing changes the entry of the browser's history that one is on, a change of structure adds one: Back and
// Forward walk through them, and Undo is a step back that says what it undoes. What the page opens with leaves
// the address clean. The page's own anchors (#faq, #block-compose) are not states.

const PAUSE_MS = 400; // browsers refuse addresses that change too often

let home = ""; // the link of what the page opens with
let written = ""; // the fragment of the state that the address stands for
let link = "";
let platform = () => "";
let restore = () => {};
let timer = 0;
let last = 0;

/**
 * Begin to keep the address, and take up the state that it names.
 *
 * @param {string} opening link of what the page opens with
 * @param {() => string} shown names the platform that is looked at, or nothing where it is the first
 * @param {(link: string | null) => void} take brings a state back; null: what the page opens with
 */
export function start(opening, shown, take) {
  home = link = opening;
  platform = shown;
  restore = take;
  written = fragment();
  addEventListener("popstate", walked);
  addEventListener("pagehide", () => (flush(), setScrolling("auto"))); // a page that is left or reloaded keeps its place
  document.addEventListener("click", jump);
  if (isState(location.hash)) restore(location.hash.slice(1));
}

/** Whether a fragment is a job; an anchor of the page is none. */
const isState = (hash) => /^#(%23)?\d/.test(hash) || (/[;=]/.test(hash) && !anchored(hash));

function anchored(hash) {
  try {
    return document.getElementById(decodeURIComponent(hash.slice(1)));
  } catch {
    return null; // not even percent-encoding
  }
}

/** @returns {string} what the address is to say; nothing for what the page opens with */
function fragment() {
  const target = platform();
  if (target) return `#${link};t=${target}`;
  return link === home ? "" : `#${link}`;
}

const clean = () => location.pathname + location.search;

/** @returns {string} the whole address of what stands on the page, also before it is in the address bar */
export const here = () => new URL(fragment() || clean(), location.href).href;

// ---------------------------------------------------------------- writing

/**
 * The page has been answered.
 *
 * @param {string} answered link of the job
 * @param {"typed" | "restored" | "changed"} how it came to this
 * @param {string} [what] was changed, in words
 */
export function note(answered, how, what = "") {
  link = answered;
  if (how === "restored") written = fragment(); // the address that asked for it stays as it is
  else if (how === "changed") push(what);
  else later();
}

/** Have the address follow, soon: at once after a pause, else at the end of one. */
export function later() {
  clearTimeout(timer);
  if (fragment() === written) return;
  timer = setTimeout(flush, Math.max(0, last + PAUSE_MS - Date.now()));
}

function flush() {
  clearTimeout(timer);
  write("replaceState", history.state);
}

function push(what) {
  const arrived = fragment();
  if (arrived === written) return;
  setScrolling("manual"); // a step between states is no step between places
  write("pushState", { undo: what });
}

function write(how, state) {
  const wanted = fragment();
  if (wanted === written) return;
  try {
    history[how](state, "", wanted || clean());
    written = wanted;
    last = Date.now();
  } catch {
    timer = setTimeout(flush, 10 * PAUSE_MS); // too often for this browser
  }
}

function setScrolling(how) {
  if (how === "auto" || history.scrollRestoration !== how) history.scrollRestoration = how;
}

// ---------------------------------------------------------------- walking

/** @returns {string} what a step back would undo; nothing where it would undo nothing */
export const undoable = () => history.state?.undo ?? "";

/** Go back to what was there before the last change of structure; Forward brings it back. */
export function undo() {
  flush();
  history.back();
}

function walked() {
  clearTimeout(timer);
  if (isState(location.hash)) restore(location.hash.slice(1));
  else if (written !== "") restore(null);
}

/** A link to an anchor goes there; the state in the address stays, and the link can be copied. */
function jump(event) {
  const anchor = event.target.closest("a[href^='#']");
  const elsewhere = event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey;
  if (!anchor || elsewhere || !(isState(location.hash) || undoable())) return;
  const place = anchored(anchor.hash);
  if (!place) return;
  event.preventDefault();
  for (let fold = place.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  if (!place.matches("a[href], button, input, select, textarea, summary, [tabindex]")) place.tabIndex = -1;
  place.focus({ preventScroll: true });
  place.scrollIntoView();
}
