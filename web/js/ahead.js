// The thread that the engine runs in begins before the page has arrived, hence a classic script and the first: a module
// would wait for what the page has to lay out. js/thread.js takes the thread over. The single file makes its own
// (web/onefile/thread.js).
try {
  const wanted = new URLSearchParams(location.search).get("start") ?? "";
  const address = new URL("worker.js", document.currentScript.src);
  const worker = new Worker(address, { type: "module", name: `${wanted} ` });
  const said = []; // before anybody listens
  worker.onmessage = worker.onerror = (event) => said.push(event);
  globalThis.ahead = { worker, said };
} catch {
  // Browsers start no thread from a file: js/local.js says so.
}
