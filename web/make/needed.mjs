// Find out which files of the archive the first answers need.
// Reads {base, script, rehearsal, home}; prints {needed: [NAME]}.

import { readFileSync } from "node:fs";
import { boot, IMPORT_ENGINE } from "../js/loader.js";
import { answerRequests, readRequest } from "./pyodide.mjs";

const { base, script, rehearsal, home } = readRequest();
answerRequests(() => undefined);
const python = await boot(base, {});
python.runPython(IMPORT_ENGINE);
const needed = python.runPython(readFileSync(script, "utf8"));
console.log(JSON.stringify({ needed: JSON.parse(needed(home, readFileSync(rehearsal, "utf8"))) }));
