// Pack and unpack memories. Reads {root, cases: [{fresh, other, there, memory}]}, all lists of words:
// what is packed against fresh and other is unpacked where the fresh memory is another, there;
// prints [{words, packed}] as they come back.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const { root, cases } = JSON.parse(readFileSync(0, "utf8"));
const { unpack } = await import(pathToFileURL(join(root, "web/js/memory.js")).href);
const { pack } = await import(pathToFileURL(join(root, "web/make/packing.mjs")).href);
const bytes = (list) => new Uint8Array(Uint32Array.from(list).buffer);
const answers = cases.map(({ fresh, other, there, memory }) => {
  const packed = pack(bytes(memory), bytes(fresh), bytes(other));
  const target = new Uint8Array(memory.length * 4); // a runtime has been given as much by then
  target.set(bytes(there).subarray(0, target.length));
  unpack(packed.buffer, target);
  return { words: [...new Uint32Array(target.buffer)], packed: packed.length };
});
console.log(JSON.stringify(answers));
