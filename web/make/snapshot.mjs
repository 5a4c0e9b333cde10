// Take the memory of a Python that has imported the engine and answered, and pack it.
// Reads {base, rehearsal, request, target, moment}; prints {bytes, checksum, response}.

import { readFileSync, writeFileSync } from "node:fs";
import { boot, IMPORT_ENGINE } from "../js/loader.js";
import { checksum } from "../js/memory.js";
import { hold } from "./clock.mjs";
import { pack } from "./packing.mjs";
import { answerRequests, readRequest } from "./pyodide.mjs";

const { base, rehearsal, request, target } = readRequest();
answerRequests(() => undefined);
hold();

const python = await boot(base, { _makeSnapshot: true });
python.runPython(IMPORT_ENGINE);
python.runPython(`${readFileSync(rehearsal, "utf8")}\nrehearse()\nNone`);
const response = python.runPython(`calculator.api.answer(${JSON.stringify(request)})`);
python.runPython(`
import gc
from importlib import invalidate_caches
from calculator import resources

resources.reread()
invalidate_caches()
gc.collect()
None
`);
const snapshot = python.makeMemorySnapshot();

let fresh;
await boot(base, { library: "empty.zip", _loadSnapshot: snapshot, created: (memory) => (fresh = memory.slice()) });
writeFileSync(target, pack(snapshot, fresh));
console.log(JSON.stringify({ bytes: snapshot.length, checksum: checksum(snapshot), response }));
process.exit(0);
