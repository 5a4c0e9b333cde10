// Files as text: compressed, then written with 85 signs, none of which means anything in HTML (web/make/packed.py).
// Four bytes are five signs; base64 would need a fifteenth more, and the browser's own decoder is no faster start.

const SIGNS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%/()*+-;,=.?@^_`{|}~";
const VALUES = new Uint8Array(128);
for (let value = 0; value < SIGNS.length; value += 1) VALUES[SIGNS.charCodeAt(value)] = value;

/**
 * @param {Uint8Array[]} pieces what read() gave for a file's pieces
 * @returns {Promise<ArrayBuffer>} the file's content
 */
export function inflate(pieces) {
  const bytes = new Blob(pieces).stream();
  return new Response(bytes.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

/**
 * A last group that is not whole has one sign more than bytes: the missing ones count as the highest.
 *
 * @param {string} text a piece of a file
 * @returns {Uint8Array} its bytes, compressed as they are
 */
export function read(text) {
  const groups = Math.ceil(text.length / 5);
  const missing = groups * 5 - text.length;
  const signs = text + SIGNS.at(-1).repeat(missing);
  const bytes = new DataView(new ArrayBuffer(groups * 4));
  for (let group = 0; group < groups; group += 1) {
    let value = 0;
    for (let at = group * 5; at < group * 5 + 5; at += 1) value = value * 85 + VALUES[signs.charCodeAt(at)];
    bytes.setUint32(group * 4, value);
  }
  return new Uint8Array(bytes.buffer, 0, groups * 4 - missing);
}
