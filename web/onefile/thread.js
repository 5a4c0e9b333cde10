// The engine's thread, made of what this file carries: nothing can be fetched where a page is opened as a file.
//
// Its script has no address of its own, and a thread with such a script may be no module: so it is a joined script
// (web/make/joined.py), and the files that it would fetch are handed over as text, to be unpacked there.

import { inflate, read } from "./packed.js";

const SCRIPT = "worker.js";
const carried = [...document.querySelectorAll("script[data-file]")]; // the pieces of all files, in their order
const isScript = ({ dataset }) => dataset.file === SCRIPT;
const others = carried.filter((piece) => !isScript(piece));

/** A task of its own for each piece: the page stays live. A timer would wait longer than a piece takes. */
const pause = () =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = resolve;
    port2.postMessage(null);
  });

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
  const script = await inflate(await bytes(carried.filter(isScript)));
  const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const worker = new Worker(address);
  worker.onmessage = (event) => thread.onmessage(event);
  worker.onerror = (event) => thread.onerror(event);
  worker.addEventListener("message", () => URL.revokeObjectURL(address), { once: true });
  return worker;
}

async function bytes(pieces) {
  const found = [];
  for (const { textContent } of pieces) {
    await pause();
    found.push(read(textContent));
  }
  return found;
}

async function handOver(worker) {
  for (const [position, { dataset, textContent }] of others.entries()) {
    const name = dataset.file;
    const ends = others[position + 1]?.dataset.file !== name;
    worker.postMessage({ name, text: textContent, ends, left: others.length - position - 1 });
    await pause();
  }
}
