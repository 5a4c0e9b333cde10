// First in the single file's thread: takes the files that the page hands over, then starts the engine as anywhere,
// with a fetch() that answers from them. Nothing is asked of a network, and the page's policy would not allow it.
//
// In:  {name, text, ends, left}   a piece of a packed file, whether it is the last of it, how many pieces are to come
// Out: what worker.js says

import { inflate, read } from "./packed.js";

const KINDS = { wasm: "application/wasm" };
const files = new Map(); // name -> promise of its content
const pieces = []; // what has come of a file

self.onmessage = ({ data: { name, text, ends, left } }) => {
  pieces.push(read(text));
  if (ends) files.set(name, inflate(pieces.splice(0)));
  if (!left) start();
};

/** The address is one that does not exist (web/make/joined.py), the file's name is its end. */
self.fetch = async (address) => {
  const name = String(address.url ?? address).split("/").at(-1);
  if (!files.has(name)) return new Response(null, { status: 404 });
  const headers = { "Content-Type": KINDS[name.split(".").at(-1)] ?? "application/octet-stream" };
  return new Response(await files.get(name), { headers });
};

// Pyodide refuses threads that are no modules, and knows them by what they can do: import scripts by address. There
// is nothing of that kind to do here.
self.importScripts = () => {
  throw new Error("no script can be fetched here");
};

async function start() {
  try {
    await Promise.all(files.values());
    await import("./worker.js");
  } catch (error) {
    postMessage({ type: "failed", message: error.message });
  }
}
