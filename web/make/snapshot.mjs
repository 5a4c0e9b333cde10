// Take the memory of a Python that has imported the engine and answered, and pack it.
// Reads {base, rehearsal, sweeping, request, target}; prints {head, memory, checksum, response}, of which `head` is
// what Pyodide puts before a memory (base64), and `memory` its bytes.

import { readFileSync, writeFileSync } from "node:fs";
import { boot, IMPORT_ENGINE, roomy } from "../js/loader.js";
import { checksum, words } from "../js/memory.js";
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

const end = words(snapshot)[1]; // of the head, which says how long it is
const [head, memory] = [snapshot.subarray(0, end), snapshot.subarray(end)];

/** The memory that a snapshot is put on: that of a runtime before it starts Python. */
async function fresh(dice) {
  hold(dice);
  let found;
  const created = (runtime) => {
    const there = roomy(runtime, memory.length);
    found = there.slice();
    there.set(memory);
  };
  await boot(base, { library: "data.zip", _loadSnapshot: head, created });
  return found;
}

writeFileSync(target, pack(memory, await fresh(0), await fresh(85)));
const told = { head: Buffer.from(head).toString("base64"), memory: memory.length, checksum: checksum(memory) };
console.log(JSON.stringify({ ...told, response }));
