// The engine in a thread of its own, so that the page stays live while Python starts and works.
//
// In:  {id, request}                       request: a JSON string
// Out: {id, response} or {id, fault}       response: a JSON string; fault: what went wrong with this one
//      {type: "progress", step, loaded, total}   step: "fetch", "start", "import"; files while fetching
//      {type: "ready"} when it is up; {type: "failed", message} when it is not, or no longer

import { load } from "./loader.js";
import { watch } from "./downloads.js";
import * as places from "./places.js";

const PYTHON = new URL(places.PYTHON, import.meta.url).href;

const progress = (step, loaded, total) => postMessage({ type: "progress", step, loaded, total });

// A policy that forbids WebAssembly makes Pyodide wait forever; this refusal comes at once.
const EMPTY_MODULE = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);

async function start() {
  await WebAssembly.compile(EMPTY_MODULE);
  watch(PYTHON, {
    arrived: (loaded, total) => progress("fetch", loaded, total),
    lost: fail,
  });
  const answer = await load(PYTHON, progress);
  self.onmessage = ({ data: { id, request } }) => reply(answer, id, request);
  postMessage({ type: "ready" });
}

function reply(answer, id, request) {
  try {
    postMessage({ id, response: answer(request) });
  } catch (error) {
    postMessage({ id, fault: reason(error) });
    if (error.pyodide_fatal_error) fail(error); // Python is gone for good, the page may start another
  }
}

/** The last line of a Python traceback says what happened. */
const reason = (error) => String(error?.message ?? error).trim().split("\n").at(-1);

function fail(error) {
  console.error(error);
  postMessage({ type: "failed", message: reason(error) });
}

// A damaged file is rejected where nobody waits for it: Pyodide itself would wait forever.
self.addEventListener("unhandledrejection", ({ reason: error }) => fail(error));

start().catch(fail);
