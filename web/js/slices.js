// The long page is laid out in slices: what is in view at once, each piece of a section below it in a frame of its own,
// so that nobody waits for what they do not see (css/frame.css). Python's start goes first: it has use for all a machine has.
// The reference stands in <noscript>: where scripts run, that arrives as text, of which the elements are made here.
//
// Soon all of it is there: a browser tells readers nothing of what it has not laid out, and finds no words in it.

const PATIENCE_MS = 4000; // however long Python takes
const SIGNS = ["scroll", "wheel", "touchmove", "keydown", "focusin"]; // that somebody goes on
const NEAR = "1000px"; // what is that close to the view is wanted

const whenIdle = globalThis.requestIdleCallback ?? globalThis.setTimeout; // Safari has the second alone

const sections = [...document.querySelectorAll(".wide:not(#all-blocks), .prose > section")];
let left = []; // sections, and pieces of the one at hand, whose turn has not come
let begun = false;
let isWhole = false;

/** Have it all laid out before long; at once where the browser is about to look for a place, or for words. */
export function soon() {
  const [{ type, name } = {}] = performance.getEntriesByType("navigation");
  if (type !== "navigate" || name.includes(":~:text=")) return whole();
  setTimeout(begin, PATIENCE_MS);
  for (const sign of SIGNS) addEventListener(sign, begin, { once: true, passive: true });
  const observer = new IntersectionObserver(approach, { rootMargin: NEAR });
  for (const section of sections) observer.observe(section);
}

/** The page goes on below what is in view. */
function arrive() {
  isWhole = begun = true;
  document.documentElement.classList.add("arrived");
}

/** @returns {boolean} whether a section was not there yet: now it takes its room */
function show(section) {
  const place = section.closest(".wide, .reference");
  const isNew = !place.matches(".arrived *, .here");
  place.classList.add("here");
  return isNew;
}

function approach(entries) {
  for (const { target, isIntersecting } of entries) if (isIntersecting) unpack(target);
}

/** Whether all of the page is there, laid out or not. */
export const isThere = () => isWhole;

/** @returns {boolean} whether anything was missing: now all of it is laid out, and every place where it stays */
export function whole() {
  if (isWhole) return false;
  arrive();
  for (const section of sections) unpack(section);
  for (const each of sections.flatMap((section) => [section, ...section.children])) each.classList.add("laid-out");
  left = [];
  return true;
}

/** @returns {boolean} whether it was text */
function unpack(section) {
  const holder = section.querySelector(":scope > noscript");
  if (holder) holder.outerHTML = holder.textContent;
  return Boolean(holder);
}

/** Have it all laid out, unless that has been begun. */
export const begin = () => begun || start();

/** Have every section that is not in view laid out anew, one after the other. */
export function start() {
  const isUnderWay = left.length > 0;
  begun = true;
  left = [...sections];
  for (const each of document.querySelectorAll(".laid-out")) each.classList.remove("laid-out");
  if (!isUnderWay) whenIdle(() => requestAnimationFrame(next));
}

/** A frame takes one step with a section, or lays out a piece of it; what people do meanwhile goes first. */
function next() {
  if (left.length && !show(left[0]) && !unpack(left[0]) && !stay(left[0])) layOut(left.shift());
  if (left.length) whenIdle(() => requestAnimationFrame(next));
  else arrive();
}

/** @returns {boolean} whether somebody reads below a piece that has no height yet: nothing moves who gets all at once */
const stay = (piece) => !isWhole && piece.getBoundingClientRect().top < 0 && whole();

/** A section's own pieces come next: until then each is passed over by itself. */
function layOut(piece) {
  piece.classList.add("laid-out");
  if (sections.includes(piece)) left.unshift(...piece.children);
}
