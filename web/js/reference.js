// The reference is folded; what an address names is opened before the browser goes there.

import * as slices from "./slices.js";

const ANCHOR = /^#[a-z]/; // a job begins with a digit

export function start() {
  document.addEventListener("click", follow, { capture: true });
  addEventListener("hashchange", () => {
    const isThere = slices.isThere();
    const place = reveal(location.hash);
    if (!isThere) place?.scrollIntoView(); // the browser has looked for it before
  });
  reveal(location.hash)?.scrollIntoView();
}

/** Opened first, the place is where the browser then scrolls to. */
function follow(event) {
  const link = event.target.closest("a[href^='#']");
  if (link) reveal(link.hash);
}

/**
 * Open an entry, and every fold around a place.
 *
 * @param {string} hash of an address
 * @returns {HTMLElement | undefined} the place, where something had to be opened or made for it
 */
function reveal(hash) {
  if (!ANCHOR.test(hash)) return undefined;
  const named = () => document.getElementById(hash.slice(1));
  const isNew = isFar(named()) && slices.whole();
  const place = named();
  if (!place) return undefined;
  let opened = isNew ? place : undefined;
  const own = place.querySelector(":scope > details");
  for (let fold = own ?? place.closest("details"); fold; fold = fold.parentElement.closest("details")) {
    if (!fold.open) opened = place;
    fold.open = true;
  }
  return opened;
}

/** Whether a place is below the calculator, or not there yet: all of the page is to be there before one goes there. */
const isFar = (place) => !place || place.closest(".wide, .reference");
