// Pack and unpack memories. Reads {root, cases: [{head, fresh, other, there, memory}]}, all lists of words:
// what is packed against fresh and other is unpacked where the fresh memory is another, there;
// prints [{words, packed}] as they come back.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const { root, cases } = JSON.parse(readFileSync(0, "utf8"));
const { unpack } = await import(pathToFileURL(join(root, "web/js/memory.js")).href);
const { pack } = await import(pathToFileURL(join(root, "web/make/packing.mjs")).href);
const bytes = (list) => new Uint8Array(Uint32Array.from(list).buffer);
const answers = cases.map(({ head, fresh, other, there, memory }) => {
  const snapshot = bytes([...head, ...memory]);
  const packed = pack(snapshot, bytes(fresh), bytes(other));
  const target = new Uint8Array(snapshot.length);
  unpack(packed.buffer, bytes(there), target);
  return { words: [...new Uint32Array(target.buffer)], packed: packed.length };
});
console.log(JSON.stringify(answers));
