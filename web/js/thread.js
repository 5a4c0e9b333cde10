// The thread that the engine runs in. The single file makes its own instead (web/onefile/thread.js).

const WANTED = new URLSearchParams(location.search).get("start"); // for tests and measurements: a start by name
const SCRIPT = new URL("worker.js", import.meta.url);
if (WANTED) SCRIPT.searchParams.set("start", WANTED);

/** @returns {Worker} a new one */
export const open = () => new Worker(SCRIPT, { type: "module" });
