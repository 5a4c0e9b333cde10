// Python's memory as the build took it, and how it comes back: as what differs from a fresh start.
//
// The runtime and the compiled module fill much of the memory by themselves, and always alike. What is
// stored is the memory XORed with that, word by word, and of it only the stretches that are not zero:
//
//   words of the table, then the table: pairs (words that are equal, words that differ), then those words
//
// The memory follows Pyodide's own head (magic, build id, what Python holds of JavaScript), stored as it is.

/**
 * Put the memory together.
 *
 * @param {ArrayBuffer} packed what web/make/packing.mjs wrote
 * @param {Uint8Array} fresh the memory of a runtime that has not started Python yet
 * @param {Uint8Array} target filled with the snapshot: head and memory
 */
export function unpack(packed, fresh, target) {
  const source = new Uint32Array(packed);
  const [heads, runs] = source;
  const table = source.subarray(2 + heads, 2 + heads + runs);
  const before = words(fresh);
  const after = words(target);
  after.set(source.subarray(2, 2 + heads));
  const memory = after.subarray(heads);
  memory.set(before.subarray(0, memory.length));
  let from = 2 + heads + runs;
  let to = 0;
  for (let run = 0; run < runs; run += 2) {
    to += table[run];
    for (const end = to + table[run + 1]; to < end; ) memory[to++] ^= source[from++];
  }
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
