// The thread that the engine runs in. The single file makes its own instead (web/onefile/thread.js).

/** @returns {Worker} a new one */
export const open = () => new Worker(new URL("worker.js", import.meta.url), { type: "module" });
