// Join archives as the page does. Reads {script, first, second, target}; prints {}.

import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { script, first, second, target } = JSON.parse(readFileSync(0, "utf8"));
const { join } = await import(pathToFileURL(script).href);
writeFileSync(target, join(...[first, second].map((path) => new Uint8Array(readFileSync(path)))));
console.log("{}");
