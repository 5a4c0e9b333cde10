// The thread that the engine runs in. The page names this script before all others: the thread is under way while the
// page itself still arrives. The single file makes its own instead (web/onefile/thread.js).

const WANTED = new URLSearchParams(location.search).get("start"); // for tests and measurements: a start by name

const said = []; // by the first thread, before anybody listens
let first = begin(WANTED, false);
first.onmessage = first.onerror = (event) => said.push(event);

/**
 * @param {string | null} [way] the start, where it is not to be chosen
 * @param {boolean} [anew] whether what the browser keeps of its files is not to be trusted
 * @returns {Worker} the one that is under way, for the first who asks for the usual; else a new one
 */
export function open(way = WANTED, anew = false) {
  const worker = first;
  first = null;
  if (!worker || way !== WANTED || anew) return begin(way, anew);
  queueMicrotask(() => {
    for (const event of said.splice(0)) worker[`on${event.type}`]?.(event);
  });
  return worker;
}

/** Its name says both, for a service worker may answer with a script that was fetched under another address. */
function begin(way, anew) {
  const name = `${way ?? ""} ${anew ? "anew" : ""}`;
  return new Worker(new URL("worker.js", import.meta.url), { type: "module", name });
}
