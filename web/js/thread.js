// The thread that the engine runs in. The single file makes its own instead (web/onefile/thread.js).

const WANTED = new URLSearchParams(location.search).get("start"); // for tests and measurements: a start by name

/**
 * @param {string | null} [way] the start, where it is not to be chosen
 * @returns {Worker} a new one
 */
export function open(way = WANTED) {
  const script = new URL("worker.js", import.meta.url);
  if (way) script.searchParams.set("start", way);
  return new Worker(script, { type: "module" });
}
