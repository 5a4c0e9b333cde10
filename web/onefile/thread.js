// The engine's thread, made of what this file carries: nothing can be fetched where a page is opened as a file.
//
// Its script has no address of its own, and a thread with such a script may be no module: so it is a joined script
// (web/make/joined.py), and the files that it would fetch are handed over as text, to be unpacked there.

import { unpack } from "./packed.js";

const SCRIPT = "worker.js";
const carried = [...document.querySelectorAll("script[data-file]")];
const text = (name) => carried.find(({ dataset }) => dataset.file === name).textContent;
const files = carried.map(({ dataset }) => dataset.file).filter((name) => name !== SCRIPT);

/** A task of its own for each file: the page stays live. */
const pause = () => new Promise((resolve) => setTimeout(resolve));

/** @returns {Pick<Worker, "postMessage" | "terminate" | "onmessage" | "onerror">} a thread that will be there */
export function open() {
  const thread = {
    onmessage() {},
    onerror() {},
    postMessage: (message) => worker.then((there) => there.postMessage(message)),
    terminate: () => worker.then((there) => there.terminate()),
  };
  const worker = begin(thread);
  worker.then(handOver).catch(({ message }) => thread.onerror({ message }));
  return thread;
}

async function begin(thread) {
  queueMicrotask(() => thread.onmessage({ data: { type: "progress", step: "unpack" } }));
  const script = new Blob([await unpack(text(SCRIPT))], { type: "text/javascript" });
  const address = URL.createObjectURL(script);
  const worker = new Worker(address);
  worker.onmessage = (event) => thread.onmessage(event);
  worker.onerror = (event) => thread.onerror(event);
  worker.addEventListener("message", () => URL.revokeObjectURL(address), { once: true });
  return worker;
}

async function handOver(worker) {
  for (const [position, name] of files.entries()) {
    worker.postMessage({ name, text: text(name), left: files.length - position - 1 });
    await pause();
  }
}
