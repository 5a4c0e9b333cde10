// Python's memory as the build took it, and how it comes back: as what differs from a fresh start.
//
// The runtime and the compiled module fill much of the memory by themselves, and always alike. What is
// stored is the memory XORed with that, word by word, and of it only the stretches that are not zero:
//
//   how many words each of the next two has
//   chance: pairs (place, words) of a fresh memory that are of no use, such as seeds; they count as zero
//   table: pairs (words that are equal, words that differ)
//   the words that differ, XORed

/**
 * Turn a fresh memory into the one that was taken, where it lies.
 *
 * @param {ArrayBuffer} packed what web/make/packing.mjs wrote
 * @param {Uint8Array} fresh the memory of a runtime that has not started Python yet
 */
export function unpack(packed, fresh) {
  const source = new Uint32Array(packed);
  let from = 2;
  const [chance, table] = Array.from(source.subarray(0, 2), (size) => source.subarray(from, (from += size)));
  const memory = words(fresh);
  for (const [at, count] of pairs(chance)) memory.fill(0, at, at + count);
  let to = 0;
  for (const [equal, differing] of pairs(table)) {
    to += equal;
    flip(memory, to, source, from, differing);
    to += differing;
    from += differing;
  }
}

/** In a function of its own, which a browser soon has made fast. */
function flip(memory, to, source, from, count) {
  for (let at = 0; at < count; at++) memory[to + at] ^= source[from + at];
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
  const all = words(bytes);
  let sum = 0;
  for (let at = 0; at < all.length; at++) sum = (Math.imul(sum, 31) + all[at]) | 0; // an iterator is slow at first
  return sum;
}

/** @param {Uint8Array} bytes whole words, at a place that words may have */
export const words = ({ buffer, byteOffset, byteLength }) => new Uint32Array(buffer, byteOffset, byteLength >>> 2);
