// The engine in a thread of its own, so that the page stays live while Python starts and works.
//
// In:  {id, request}                       request: a JSON string
// Out: {id, response} or {id, fault}       response: a JSON string; fault: what went wrong with this one
//      {type: "progress", step, loaded, total}   step: "fetch", "start", "import"; files while fetching
//      {type: "ready"} when it is up; {type: "failed", message} when it is not, or no longer
//      {type: "instead", way} when another thread that starts that way has to do it
//
// Its name says the start that is wanted, direct or resumed, and whether all is to be fetched anew: "direct anew".

import { watch } from "./downloads.js";
import { Later } from "./later.js";
import { load, resume } from "./loader.js";
import * as places from "./places.js";
import { choose, FILES, isMetered } from "./starts.js";

const PYTHON = new URL(places.PYTHON, import.meta.url).href;

const progress = (step, loaded, total) => postMessage({ type: "progress", step, loaded, total });

// A policy that forbids WebAssembly makes Pyodide wait forever; this refusal comes at once.
const EMPTY_MODULE = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);

const BEGIN = { direct: load, resumed: resume };
let starting = null; // the way, until the engine is up
let isOver = false;

async function start() {
  await WebAssembly.compile(EMPTY_MODULE);
  const [wanted, anew] = self.name.split(" ");
  starting = await choose(PYTHON, wanted);
  const arrived = (loaded, total) => progress("fetch", loaded, total);
  const end = watch(PYTHON, FILES[starting], { arrived, lost: fail, anew: Boolean(anew) });
  const engine = await BEGIN[starting](PYTHON, progress);
  end();
  starting = null;
  const later = new Later(`${PYTHON}later.zip`, engine.add);
  self.onmessage = ({ data: { id, request } }) => reply(engine, later, id, request);
  postMessage({ type: "ready" });
}

async function reply(engine, later, id, request) {
  try {
    postMessage({ id, response: await respond(engine, later, request) });
    if (!isMetered()) later.soon();
  } catch (error) {
    postMessage({ id, fault: reason(error) });
    if (error.pyodide_fatal_error) fail(error); // Python is gone for good, the page may start another
  }
}

/** Answer, with the rest of Python where that is known to be needed, or turns out to be. */
async function respond(engine, later, request) {
  if (!later.there && isPaste(request)) await later.bring();
  try {
    return engine.answer(request);
  } catch (error) {
    if (later.there || error.pyodide_fatal_error) throw error;
    await later.bring();
    return engine.answer(request);
  }
}

const isPaste = (request) => Boolean(JSON.parse(request).paste);

/** The last line of a Python traceback says what happened. */
const reason = (error) => String(error?.message ?? error).trim().split("\n").at(-1);

/** A memory that cannot be resumed costs time, never the answer: the page opens another thread. */
function fail(error) {
  if (isOver) return; // what follows from it
  isOver = true;
  if (starting === "resumed") {
    console.info(`The engine starts the longer way, as its memory could not be resumed: ${reason(error)}`);
    postMessage({ type: "instead", way: "direct" });
  } else {
    console.error(error);
    postMessage({ type: "failed", message: reason(error) });
  }
}

// A damaged file is rejected where nobody waits for it: Pyodide itself would wait forever.
self.addEventListener("unhandledrejection", ({ reason: error }) => fail(error));

start().catch(fail);
