// The page's fragments: each stands in an element with data-part and is replaced only where it changed.

/** The form is not among them: it is rendered anew by form.js, and rarely. */
const places = () => document.querySelectorAll("[data-part]:not([data-part=form])");

/** @returns {string[]} names of the fragments this page shows */
export const names = () => [...places()].map((place) => place.dataset.part);

/** @param {Record<string, string>} parts name -> HTML */
export function show(parts) {
  for (const place of places()) {
    const html = parts[place.dataset.part];
    if (html !== undefined) replace(place, html);
  }
}

/**
 * Replace an element's content and keep the focus on what has the same id afterwards.
 *
 * @param {Element} place
 * @param {string} html
 */
function replace(place, html) {
  const fresh = document.createElement("template");
  fresh.innerHTML = html;
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
