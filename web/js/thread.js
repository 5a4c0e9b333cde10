// The thread that the engine runs in. The single file makes its own instead (web/onefile/thread.js).

const WANTED = new URLSearchParams(location.search).get("start"); // for tests and measurements: a start by name

/**
 * @param {string | null} [way] the start, where it is not to be chosen
 * @param {boolean} [anew] whether what the browser keeps of its files is not to be trusted
 * @returns {Worker} a new one; its name says both, for a service worker may answer with a script that was fetched
 *   under another address
 */
export function open(way = WANTED, anew = false) {
  const name = `${way ?? ""} ${anew ? "anew" : ""}`;
  return new Worker(new URL("worker.js", import.meta.url), { type: "module", name });
}
