// Import modules in the built Python under Node.
// Reads {loader, base, modules: [NAME]}; prints {NAME: message} of those that cannot be imported.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { loader, base, modules } = JSON.parse(readFileSync(0, "utf8"));
const { load } = await import(pathToFileURL(loader).href);
const answer = await load(base);
const importModule = answer.__globals__.get("__builtins__").get("__import__");
const failed = {};
for (const name of modules) {
  try {
    importModule(name);
  } catch (error) {
    failed[name] = error.message;
  }
}
console.log(JSON.stringify(failed));
