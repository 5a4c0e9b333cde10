// The engine in a thread of its own, so that the page stays live while Python starts and works.
//
// In:  {id, request}                       request: a JSON string
// Out: {id, response} or {id, fault}       response: a JSON string; fault: what went wrong with this one
//      {type: "progress", step, loaded, total}   step: "fetch", "start", "import"; files while fetching
//      {type: "ready"} when it is up; {type: "failed", message} when it is not, or no longer
//
// Its address may name the start that is wanted: worker.js?start=direct or ?start=resumed.

import { watch } from "./downloads.js";
import { Later } from "./later.js";
import { load, resume } from "./loader.js";
import * as places from "./places.js";
import { choose, FILES, isMetered } from "./starts.js";

const PYTHON = new URL(places.PYTHON, import.meta.url).href;

const progress = (step, loaded, total) => postMessage({ type: "progress", step, loaded, total });

// A policy that forbids WebAssembly makes Pyodide wait forever; this refusal comes at once.
const EMPTY_MODULE = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);

let lost = fail; // is told what nobody waits for: a damaged file, on which Pyodide itself would wait forever
self.addEventListener("unhandledrejection", ({ reason: error }) => lost(error));

async function start() {
  await WebAssembly.compile(EMPTY_MODULE);
  const wanted = new URL(self.location.href).searchParams.get("start");
  const engine = await started(await choose(PYTHON, wanted));
  const later = new Later(`${PYTHON}later.zip`, engine.add);
  self.onmessage = ({ data: { id, request } }) => reply(engine, later, id, request);
  postMessage({ type: "ready" });
}

/** Start that way; a memory that cannot be resumed costs time, never the answer. */
async function started(way) {
  if (way === "direct") return following("direct", load);
  try {
    return await following("resumed", resume);
  } catch (error) {
    console.info(`The engine starts the longer way, as its memory could not be resumed: ${reason(error)}`);
    return started("direct");
  }
}

/** Tell how the downloads of a start go; whatever is lost ends it. */
function following(way, begin) {
  let end = () => {};
  const going = new Promise((resolve, reject) => {
    lost = reject;
    end = watch(PYTHON, FILES[way], { arrived: (loaded, total) => progress("fetch", loaded, total), lost });
    begin(PYTHON, progress).then(resolve, reject);
  });
  return going.finally(() => {
    end();
    lost = fail;
  });
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

function fail(error) {
  console.error(error);
  postMessage({ type: "failed", message: reason(error) });
}

start().catch(fail);
