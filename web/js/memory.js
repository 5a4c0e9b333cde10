// Python's memory as the build took it, and how it comes back: as what differs from a fresh start.
//
// The runtime and the compiled module fill much of the memory by themselves, and always alike. What is
// stored is the memory XORed with that, word by word, and of it only the stretches that are not zero:
//
//   how many words each of the next three has
//   Pyodide's own head (magic, build id, what Python holds of JavaScript), which is before the memory
//   chance: pairs (place, words) of a fresh memory that are of no use, such as seeds; they count as zero
//   table: pairs (words that are equal, words that differ)
//   the words that differ, XORed

/**
 * Put the memory together.
 *
 * @param {ArrayBuffer} packed what web/make/packing.mjs wrote
 * @param {Uint8Array} fresh the memory of a runtime that has not started Python yet
 * @param {Uint8Array} target filled with the snapshot: head and memory
 */
export function unpack(packed, fresh, target) {
  const source = new Uint32Array(packed);
  const sizes = source.subarray(0, 3);
  let from = 3;
  const [head, chance, table] = Array.from(sizes, (size) => source.subarray(from, (from += size)));
  const snapshot = words(target);
  const memory = snapshot.subarray(head.length);
  snapshot.set(head);
  memory.set(words(fresh).subarray(0, memory.length));
  for (const [at, count] of pairs(chance)) memory.fill(0, at, at + count);
  let to = 0;
  for (const [equal, differing] of pairs(table)) {
    to += equal;
    for (const end = to + differing; to < end; ) memory[to++] ^= source[from++];
  }
}

function* pairs(list) {
  for (let at = 0; at < list.length; at += 2) yield [list[at], list[at + 1]];
}

/**
 * A number that depends on every word: it tells a memory that is not what was taken.
 *
 * @param {Uint8Array} bytes
 */
export function checksum(bytes) {
  let sum = 0;
  for (const word of words(bytes)) sum = (Math.imul(sum, 31) + word) | 0;
  return sum;
}

/** @param {Uint8Array} bytes whole words, at a place that words may have */
export const words = ({ buffer, byteOffset, byteLength }) => new Uint32Array(buffer, byteOffset, byteLength >>> 2);
