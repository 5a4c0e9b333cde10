// Import modules in the built Python under Node.
// Reads {loader, base, way, whole, modules: [NAME]}; prints {NAME: message} of those that cannot be imported.

import { readRequest, start } from "./python.mjs";

const request = readRequest();
const { python } = await start(request);
const importModule = python.globals.get("__builtins__").__import__;
const failed = {};
for (const name of request.modules) {
  try {
    importModule(name);
  } catch (error) {
    failed[name] = error.message;
  }
}
console.log(JSON.stringify(failed));
