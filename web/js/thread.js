// The thread that the engine runs in. The single file makes its own instead (web/onefile/thread.js).

const WANTED = new URLSearchParams(location.search).get("start"); // for tests and measurements: a start by name

/**
 * @param {string | null} [way] the start, where it is not to be chosen: the thread's name, for a service worker may
 *   answer with a script that was fetched under another address
 * @returns {Worker} a new one
 */
export const open = (way = WANTED) =>
  new Worker(new URL("worker.js", import.meta.url), { type: "module", name: way ?? "" });
