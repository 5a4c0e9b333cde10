// The form: what stands in it, what is wrong with it, and how it comes back without losing one's place.

/** @typedef {{path: string, message: string}} Remark */

const form = document.getElementById("form");
const unplaced = document.getElementById("form-error");

/** @returns {Record<string, string>} dotted path -> text as typed */
export function read() {
  const inputs = [...form.querySelectorAll("[name]")];
  return Object.fromEntries(inputs.map((input) => [input.name, value(input)]));
}

/** @returns {string} what stands in one input */
export const value = (input) => (input.type === "checkbox" ? String(input.checked) : input.value);

/**
 * Render the form anew: open parts stay open, the focus stays or goes where it is wanted.
 *
 * @param {string} html
 * @param {string} [then] id of the element to go to
 */
export function render(html, then) {
  const open = [...form.querySelectorAll("details[open]")].map((each) => each.id);
  const focused = form.contains(document.activeElement) ? document.activeElement : null;
  const [id, start, end] = [focused?.id, focused?.selectionStart, focused?.selectionEnd];
  form.innerHTML = html;
  for (const each of open) document.getElementById(each)?.setAttribute("open", "");
  if (then) reach(then);
  else if (id) reach(id)?.setSelectionRange?.(start ?? null, end ?? null);
}

/**
 * Write what was typed into the inputs that are there.
 *
 * @param {Record<string, string>} typed dotted path -> text
 */
export function write(typed) {
  for (const [path, text] of Object.entries(typed)) {
    const input = form.querySelector(`[name="${CSS.escape(path)}"]`);
    if (input?.type === "checkbox") input.checked = text === "true";
    else if (input) input.value = text;
  }
}

/**
 * Render the form anew only if other inputs belong there now.
 *
 * @param {string} html
 */
export function reshape(html) {
  const fresh = document.createElement("template");
  fresh.innerHTML = html;
  const names = (root) => [...root.querySelectorAll("[name]")].map((each) => each.name).join();
  if (names(fresh.content) !== names(form)) render(html);
}

/**
 * Go to an input, out of its fold.
 *
 * @param {string} id
 */
export function reach(id) {
  const element = document.getElementById(id);
  const folded = element?.closest("details:not([open])");
  if (folded && !element.matches("summary")) folded.setAttribute("open", "");
  element?.focus();
  return element?.matches("input[type=text]") ? element : null;
}

/**
 * Show each error and each hint at its input; an error that belongs to no input stands under the form.
 *
 * @param {Remark[]} errors none clears them
 * @param {Remark[]} hints on what can be read, and is hardly meant
 * @returns {string} the first of them, in words
 */
export function mark(errors, hints) {
  for (const note of form.querySelectorAll(".error, .hint")) note.textContent = "";
  for (const input of form.querySelectorAll("[aria-invalid]")) input.removeAttribute("aria-invalid");
  unplaced.textContent = "";
  return [...errors.map(place), ...hints.map(hint)][0] ?? "";
}

function hint({ path, message }) {
  const input = form.querySelector(`[name="${CSS.escape(path)}"]`);
  if (!input) return "";
  document.getElementById(`${input.id}-hint`).textContent = sentence(message);
  return `${input.labels[0].textContent.trim()}: ${sentence(message)}`;
}

function place({ path, message }) {
  const input = form.querySelector(`[name="${CSS.escape(path)}"]`);
  if (!input) {
    unplaced.textContent = `${unplaced.textContent} ${sentence(message)}`.trim();
    return unplaced.textContent;
  }
  input.setAttribute("aria-invalid", "true");
  input.closest("details:not([open])")?.setAttribute("open", "");
  document.getElementById(`${input.id}-error`).textContent = sentence(message);
  return `${input.labels[0].textContent.trim()} ${message}.`;
}

const sentence = (message) => `${message[0].toUpperCase()}${message.slice(1)}${message.endsWith("?") ? "" : "."}`;

const STEPS = { ArrowUp: 1, ArrowDown: -1 };

/** The arrow keys turn a number up and down, within its range. */
export function step(event) {
  const { target: input, key } = event;
  const by = STEPS[key];
  if (!by || !input.matches("[data-number]") || !/^\s*\d+\s*$/.test(input.value)) return;
  event.preventDefault();
  const { min = -Infinity, max = Infinity } = input.dataset;
  const wanted = Math.min(Math.max(Number(input.value) + by, Number(min)), Number(max));
  if (wanted === Number(input.value)) return;
  input.value = wanted;
  input.dispatchEvent(new Event("input", { bubbles: true }));
}
