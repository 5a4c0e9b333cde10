// Pyodide under Node, for the build's steps.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

// What Pyodide asks its lock before it starts; packages come from the build, never from this list.
const lockOf = (info) => ({ info, packages: {} });

/** Return what web/make/node.py gives a script to read. */
export const readRequest = () => JSON.parse(readFileSync(0, "utf8"));

/** Start the Pyodide that lies in a folder, with the library it came with. */
export async function start(folder, info) {
  const { loadPyodide } = await import(pathToFileURL(join(folder, "pyodide.mjs")).href);
  return loadPyodide({
    indexURL: folder,
    lockFileContents: lockOf(info),
    packageBaseUrl: folder,
    stdout: (line) => console.error(line),
  });
}

/** Let nothing reach a network: every request is answered by this function or refused. */
export function answerRequests(answer) {
  globalThis.fetch = async (request) => {
    const url = String(request.url ?? request);
    return answer(url) ?? Promise.reject(new Error(`the build asked the network for ${url}`));
  };
}
