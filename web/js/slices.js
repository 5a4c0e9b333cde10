// The long page is laid out in slices: what is in view at once, each section below it in a frame of its own, so that
// nobody waits for what they do not see (css/frame.css). Python's start goes first: it has use for all a machine has.
//
// Soon all of it is: a browser tells readers nothing of what it has not laid out.

const PATIENCE_MS = 4000; // however long Python takes

const whenIdle = globalThis.requestIdleCallback ?? globalThis.setTimeout; // Safari has the second alone

const sections = [...document.querySelectorAll(".wide, .prose > section")];
let left = []; // sections whose turn has not come
let begun = false;

/** Have it all laid out before long. */
export const soon = () => setTimeout(begin, PATIENCE_MS);

/** Have it all laid out, unless that has been begun. */
export const begin = () => begun || start();

/** Have every section that is not in view laid out anew, one after the other. */
export function start() {
  const isUnderWay = left.length > 0;
  begun = true;
  left = [...sections];
  for (const section of sections) section.classList.remove("laid-out");
  if (!isUnderWay) whenIdle(() => requestAnimationFrame(next));
}

/** A frame that lays one out; what people do meanwhile goes first. */
function next() {
  left.shift()?.classList.add("laid-out");
  if (left.length) whenIdle(() => requestAnimationFrame(next));
}
