// Marks the lines of a block that an edit has changed, for a moment. The text itself stays as it is.

const MARKED_MS = 2000; // the fade in keep.css takes as long
const COMMENT = /^\s*<i>[^<]*<\/i>\s*$/; // what is only said about the block

/**
 * Mark what is new in a block.
 *
 * @param {Element} place that shows it
 * @param {string} before the block's text, as it was
 */
export function mark(place, before) {
  const code = place.querySelector("pre code");
  if (!code || code.textContent === before) return;
  const known = common(before.split("\n"), code.textContent.split("\n"));
  const lines = code.innerHTML.split("\n"); // no element of a block reaches over a line's end
  if (lines.length !== code.textContent.split("\n").length) return;
  const isNew = (line, at) => line && !known.has(at) && !COMMENT.test(line);
  code.innerHTML = lines.map((line, at) => (isNew(line, at) ? `<span class="changed">${line}</span>` : line)).join("\n");
  const marked = [...code.querySelectorAll(".changed")];
  // Without its class the element stays: what is selected by then stays selected.
  setTimeout(() => marked.forEach((each) => each.removeAttribute("class")), MARKED_MS);
}

/**
 * @param {string[]} before
 * @param {string[]} after
 * @returns {Set<number>} positions in `after` of a longest common subsequence of both
 */
function common(before, after) {
  const length = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  for (let a = before.length - 1; a >= 0; a -= 1) {
    for (let b = after.length - 1; b >= 0; b -= 1) {
      const skipped = Math.max(length[a + 1][b], length[a][b + 1]);
      length[a][b] = before[a] === after[b] ? length[a + 1][b + 1] + 1 : skipped;
    }
  }
  const found = new Set();
  for (let a = 0, b = 0; a < before.length && b < after.length; ) {
    if (before[a] === after[b]) (found.add(b), (a += 1), (b += 1));
    else if (length[a + 1][b] >= length[a][b + 1]) a += 1;
    else b += 1;
  }
  return found;
}
