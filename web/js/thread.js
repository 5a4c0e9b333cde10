// The thread that the engine runs in. The first is under way while the page still arrives (js/ahead.js). The single file
// makes its own instead (web/onefile/thread.js).

const WANTED = new URLSearchParams(location.search).get("start"); // for tests and measurements: a start by name

let first = globalThis.ahead;

/**
 * @param {string | null} [way] the start, where it is not to be chosen
 * @param {boolean} [anew] whether what the browser keeps of its files is not to be trusted
 * @returns {Worker} the one that is under way, for the first who asks for the usual; else a new one
 */
export function open(way = WANTED, anew = false) {
  const there = first;
  first = null;
  if (!there || way !== WANTED || anew) return begin(way, anew);
  queueMicrotask(() => {
    for (const event of there.said.splice(0)) there.worker[`on${event.type}`]?.(event);
  });
  return there.worker;
}

/** Its name says both, for a service worker may answer with a script that was fetched under another address. */
function begin(way, anew) {
  const name = `${way ?? ""} ${anew ? "anew" : ""}`;
  return new Worker(new URL("worker.js", import.meta.url), { type: "module", name });
}
