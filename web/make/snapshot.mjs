// Take the memory of a Python that has imported the engine and answered, and pack it.
// Reads {base, rehearsal, sweeping, request, target}; prints {bytes, memory, checksum, response}.

import { readFileSync, writeFileSync } from "node:fs";
import { boot, IMPORT_ENGINE, roomy } from "../js/loader.js";
import { checksum } from "../js/memory.js";
import { hold } from "./clock.mjs";
import { pack } from "./packing.mjs";
import { answerRequests, readRequest } from "./pyodide.mjs";
import { sweep } from "./sweep.mjs";

const { base, rehearsal, sweeping, request, target } = readRequest();
answerRequests(() => undefined);
hold(0);

const python = await boot(base, { _makeSnapshot: true });
python.runPython(IMPORT_ENGINE);
python.runPython(`${readFileSync(rehearsal, "utf8")}\nrehearse()\nNone`);
const response = python.runPython(`calculator.api.answer(${JSON.stringify(request)})`);
python.runPython(`${readFileSync(sweeping, "utf8")}\nNone`);
sweep(python._module);
const snapshot = python.makeMemorySnapshot();

const memory = python._module.HEAPU8.length;

/** The memory that a snapshot is put on: that of a runtime before it starts Python. */
async function fresh(dice) {
  hold(dice);
  let found;
  const created = (runtime) => (found = roomy(runtime, memory).slice());
  await boot(base, { library: "data.zip", _loadSnapshot: snapshot, created });
  return found;
}

writeFileSync(target, pack(snapshot, await fresh(0), await fresh(85)));
console.log(JSON.stringify({ bytes: snapshot.length, memory, checksum: checksum(snapshot), response }));
