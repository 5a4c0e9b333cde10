// The long page is laid out in slices: what is in view at once, each section below it in a frame of its own, so that
// nobody waits for what they do not see (css/frame.css).
//
// Soon all of it is: a browser tells readers nothing of what it has not laid out.

const sections = [...document.querySelectorAll(".wide, .prose > section")];
let left = []; // sections whose turn has not come

/** Have every section that is not in view laid out anew, one after the other. */
export function start() {
  const isUnderWay = left.length > 0;
  left = [...sections];
  for (const section of sections) section.classList.remove("laid-out");
  if (!isUnderWay) requestAnimationFrame(next);
}

/** A frame that lays one out, and a task for what people do meanwhile. */
function next() {
  left.shift()?.classList.add("laid-out");
  if (left.length) setTimeout(() => requestAnimationFrame(next));
}
