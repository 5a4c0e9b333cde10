// The address says what stands on the page: behind # the job and the platform, as the engine writes them.
//
// Typing changes the entry of the browser's history that one is on, a change of structure adds one: Back and
// Forward walk through them, and Undo is a step back that says what it undoes. What the page opens with leaves
// the address clean. The page's own anchors (#faq, #block-compose) are not states.

const PAUSE_MS = 400; // browsers refuse addresses that change too often
const LONG_PAUSE_MS = 10 * PAUSE_MS;

let home = ""; // link of what the page opens with
let link = ""; // link of the job as it was last answered
let written = ""; // what the address is known to stand for; it may be spelled another way, as it arrived
let platform = () => "";
let compared = () => "";
let restore = () => {};
let restoring = false;
let stepping = false;
let timer = 0;
let last = 0;

/**
 * Begin to keep the address, and take up the state that it names.
 *
 * @param {string} opening link of what the page opens with
 * @param {{platform: () => string, compared: () => string}} shown names the platform that is looked at, nothing where
 *   it is the first, and the link of the job that is compared with, or nothing
 * @param {(link: string | null, arriving: boolean) => void} take brings a state back; null: what the page opens with
 */
export function start(opening, shown, take) {
  home = link = opening;
  ({ platform, compared } = shown);
  restore = take;
  written = fragment();
  addEventListener("popstate", walk);
  addEventListener("pagehide", leave);
  document.addEventListener("click", jump);
  if (isNamed()) bring(location.hash.slice(1), true);
}

/** @returns {boolean} whether the address names a job; an anchor of the page is none */
export function isNamed() {
  const { hash } = location;
  return /^#(%23)?\d/.test(hash) || (/[;=]/.test(hash) && !anchored(hash));
}

function anchored(hash) {
  try {
    return document.getElementById(decodeURIComponent(hash.slice(1)));
  } catch {
    return null; // that is no percent-encoding
  }
}

/** @returns {string} what the address is to say; nothing for what the page opens with */
export function fragment() {
  const target = platform();
  const other = compared();
  const text = link + (target && `;t=${target}`) + (other && `&${other}`);
  return text === home ? "" : `#${text}`;
}

/** @returns {string} link of the job as it was last answered */
export const job = () => link;

const clean = () => location.pathname + location.search;

/** @returns {string} the whole address of what stands on the page, whatever the address bar says so far */
export const here = () => new URL(fragment() || clean(), location.href).href;

// ---------------------------------------------------------------- writing

/**
 * The page has been answered.
 *
 * @param {string} answered link of the job
 * @param {{walk?: boolean, name?: string, series?: string} | null} change how it came to this: none was typed, `walk`
 *   comes out of the address itself; the name of another is what Undo undoes, a series of them is undone as one
 */
export function note(answered, change) {
  if (timer && change && !change.walk) flush();
  link = answered;
  restoring = false;
  if (!change) later();
  else if (change.walk) written = fragment(); // the address that asked for it stays as it is
  else push(change);
}

/** The state that the address named could not be brought back: it is to say what stands on the page. */
export function stay() {
  restoring = false;
  written = location.hash; // whatever was written before, this has taken its place
  later();
}

/** Have the address follow: at once after a pause, else at the end of one. */
export function later() {
  clearTimeout(timer);
  if (!restoring) timer = setTimeout(flush, Math.max(0, last + PAUSE_MS - Date.now()));
}

/** Have it follow now. */
export function flush() {
  clearTimeout(timer);
  timer = 0;
  if (!restoring) write("replaceState", history.state);
}

function push({ name, series }) {
  if (isWithin(series)) return flush();
  if (fragment() === written) return;
  setScrolling("manual"); // a step between states is none between places
  write("pushState", { undo: name, series });
}

function write(how, state) {
  const wanted = fragment();
  if (wanted === written) return;
  try {
    history[how](state, "", wanted || clean());
    written = wanted;
    last = Date.now();
  } catch {
    timer = setTimeout(flush, LONG_PAUSE_MS); // too often for this browser
  }
}

function setScrolling(how) {
  history.scrollRestoration = how;
}

/** A page that is reloaded or come back to keeps its place, and its last words. */
function leave() {
  flush();
  setScrolling("auto");
}

// ---------------------------------------------------------------- walking

/** @returns {string} what a step back undoes; nothing where that would undo nothing */
export const undoable = () => history.state?.undo ?? "";

/** Whether the last change of structure belongs to a series. */
export const isWithin = (series) => Boolean(series) && history.state?.series === series;

/** Go back to what stood there before the last change of structure; Forward brings it back. */
export function undo() {
  if (stepping) return;
  stepping = true;
  flush();
  history.back();
}

function walk() {
  clearTimeout(timer);
  if (isNamed()) bring(location.hash.slice(1));
  else if (restoring || stepping || link !== home || compared()) bring(null);
  stepping = false;
}

function bring(state, arriving = false) {
  restoring = true;
  restore(state, arriving);
}

/** A link to an anchor leads there and leaves the state in the address; as a link it can be copied still. */
function jump(event) {
  const anchor = event.target.closest("a[href^='#']");
  if (!anchor || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const place = anchored(anchor.getAttribute("href"));
  if (!place || !(isNamed() || undoable())) return;
  event.preventDefault();
  for (let fold = place.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  if (!place.matches("a[href], button, input, select, textarea, summary, [tabindex]")) place.tabIndex = -1;
  place.focus({ preventScroll: true });
  place.scrollIntoView();
}
