// Archives as the build writes them: stored, without comments, under four gigabytes (web/make/archive.py).

const END = 22; // bytes of the record that closes an archive
const ENTRY = 46; // bytes of an entry of its directory, before the name

/**
 * Join two archives into one that holds the files of both.
 *
 * @param {Uint8Array} first
 * @param {Uint8Array} second
 * @returns {Uint8Array}
 */
export function join(first, second) {
  const [a, b] = [first, second].map(read);
  const contents = [first.subarray(0, a.at), second.subarray(0, b.at)];
  const directory = [first.subarray(a.at, a.at + a.size), moved(second.slice(b.at, b.at + b.size), a.at)];
  const end = second.slice(-END);
  const told = view(end);
  for (const at of [8, 10]) told.setUint16(at, a.count + b.count, true);
  told.setUint32(12, a.size + b.size, true);
  told.setUint32(16, a.at + b.at, true);
  return concatenated([...contents, ...directory, end]);
}

/** Where an archive's directory lies, and how much is in it. */
function read(archive) {
  const end = view(archive.subarray(-END));
  if (archive.length < END || end.getUint32(0, true) !== 0x06054b50) throw new Error("this is no archive of the build");
  return { count: end.getUint16(10, true), size: end.getUint32(12, true), at: end.getUint32(16, true) };
}

/** A directory whose files lie that much further on. */
function moved(directory, by) {
  const entries = view(directory);
  for (let at = 0; at < directory.length; ) {
    entries.setUint32(at + 42, entries.getUint32(at + 42, true) + by, true);
    at += ENTRY + [28, 30, 32].reduce((sum, part) => sum + entries.getUint16(at + part, true), 0);
  }
  return directory;
}

function concatenated(pieces) {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

const view = ({ buffer, byteOffset, byteLength }) => new DataView(buffer, byteOffset, byteLength);
