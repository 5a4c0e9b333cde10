// The reference is folded; what an address names is opened before the browser goes there.

export function start() {
  document.addEventListener("click", follow, { capture: true });
  addEventListener("hashchange", () => reveal(location.hash));
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
 * @returns {HTMLElement | undefined} the place, where something had to be opened for it
 */
function reveal(hash) {
  const place = hash.length > 1 && document.getElementById(hash.slice(1));
  if (!place) return undefined;
  let opened;
  const own = place.querySelector(":scope > details");
  for (let fold = own ?? place.closest("details"); fold; fold = fold.parentElement.closest("details")) {
    if (!fold.open) opened = place;
    fold.open = true;
  }
  return opened;
}
