// Compile an archive of Python modules with the Python that will run them.
//
// Reads {runtime, info, script, source, target, home, optimize}; prints {compiled: PATH}.

import { readFile, writeFile } from "node:fs/promises";
import { answerRequests, readRequest, start } from "./pyodide.mjs";

const request = readRequest();
answerRequests(() => undefined);
const pyodide = await start(request.runtime, request.info);
pyodide.FS.writeFile("/source.zip", new Uint8Array(await readFile(request.source)));
const compile = pyodide.runPython(await readFile(request.script, "utf8"));
compile("/source.zip", "/target.zip", request.home, request.optimize);
await writeFile(request.target, pyodide.FS.readFile("/target.zip"));
console.log(JSON.stringify({ compiled: request.target }));
