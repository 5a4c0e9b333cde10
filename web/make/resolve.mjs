// Let micropip choose the engine's wheels, from the pinned ones and from nothing else.
//
// Reads {runtime, info, micropip, script, engine, offers: [{name, version, filename, path, sha256}]}.
// Last line printed: {frozen} (micropip's lock), or {missing: [names]} or {error}.

import { readFile } from "node:fs/promises";
import { answerRequests, readRequest, start } from "./pyodide.mjs";

const INDEX = "http://wheels.invalid/"; // a name that no network resolves
const request = readRequest();
const missing = new Set();

/** Answer for one project as an index of packages does (PEP 691). */
function project(name) {
  const files = request.offers.filter((offer) => offer.name === name);
  if (files.length === 0) {
    missing.add(name);
    return new Response("", { status: 404 });
  }
  const body = {
    meta: { "api-version": "1.1" },
    name,
    versions: files.map((file) => file.version),
    files: files.map(({ filename, sha256 }) => ({
      filename,
      url: `${INDEX}files/${filename}`,
      hashes: { sha256 },
    })),
  };
  const headers = { "content-type": "application/vnd.pypi.simple.v1+json" };
  return new Response(JSON.stringify(body), { headers });
}

async function file(name) {
  const offer = request.offers.find(({ filename }) => filename === name);
  return new Response(await readFile(offer.path));
}

answerRequests((url) => {
  if (!url.startsWith(INDEX)) return undefined;
  const [first, second] = url.slice(INDEX.length).split("/");
  return first === "files" ? file(decodeURIComponent(second)) : project(first);
});

const pyodide = await start(request.runtime, request.info);
pyodide.unpackArchive(new Uint8Array(await readFile(request.micropip)), "wheel");
const resolve = pyodide.runPython(await readFile(request.script, "utf8"));
let answer;
try {
  answer = { frozen: JSON.parse(await resolve(request.engine, `${INDEX}{package_name}/`)) };
} catch (error) {
  answer = missing.size ? { missing: [...missing] } : { error: error.message.trim().split("\n").at(-1) };
}
console.log(JSON.stringify(answer));
