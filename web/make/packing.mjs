// Pack a snapshot of Python's memory: the counterpart of web/js/memory.js, which says what it looks like.

import { words } from "../js/memory.js";

const SHORT = 8; // words: a shorter stretch of equal ones costs more to name than to store

/**
 * @param {Uint8Array} snapshot Pyodide's head, then the memory
 * @param {Uint8Array} fresh the memory of a runtime that has not started Python
 * @returns {Uint8Array}
 */
export function pack(snapshot, fresh) {
  const all = words(snapshot);
  const heads = all[1] >>> 2; // Pyodide's head says how long it is
  const memory = all.subarray(heads);
  const before = words(fresh);
  const difference = memory.map((word, at) => word ^ (before[at] ?? 0));
  const table = runs(difference);
  return bytes([[heads, table.length], all.subarray(0, heads), table, ...differing(difference, table)]);
}

/** Pairs: how many words are zero, how many from there on are to be stored. */
function runs(difference) {
  const table = [];
  let end = 0;
  for (let at = 0; at < difference.length; ) {
    while (at < difference.length && !difference[at]) at++;
    if (at === difference.length) break;
    const start = at;
    for (let zeros = 0; at < difference.length && zeros < SHORT; at++) zeros = difference[at] ? 0 : zeros + 1;
    let stop = at;
    while (!difference[stop - 1]) stop--;
    table.push(start - end, stop - start);
    at = end = stop;
  }
  return table;
}

function* differing(difference, table) {
  let at = 0;
  for (let run = 0; run < table.length; run += 2) {
    at += table[run];
    yield difference.subarray(at, at + table[run + 1]);
    at += table[run + 1];
  }
}

function bytes(pieces) {
  const whole = new Uint32Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return new Uint8Array(whole.buffer);
}
