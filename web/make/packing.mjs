// Pack a snapshot of Python's memory: the counterpart of web/js/memory.js, which says what it looks like.

import { words } from "../js/memory.js";

const SHORT = 8; // words: a shorter stretch of equal ones costs more to name than to store

const BESIDE = 16; // words: what lies beside chance may be chance that came out alike

/**
 * @param {Uint8Array} memory of a Python that has started
 * @param {Uint8Array} fresh the memory of a runtime that has not started Python
 * @param {Uint8Array} other the same of a runtime that had other dice and another clock
 * @returns {Uint8Array}
 */
export function pack(memory, fresh, other) {
  const before = words(fresh).slice();
  const chance = differences(before, words(other));
  for (let at = 0; at < chance.length; at += 2) before.fill(0, chance[at], chance[at] + chance[at + 1]);
  const difference = words(memory).map((word, at) => word ^ (before[at] ?? 0));
  const table = runs(difference);
  const sizes = [chance.length, table.length];
  return bytes([sizes, chance, table, ...differing(difference, table)]);
}

/** Pairs: from where on two memories differ, and for how many words. */
function differences(one, other) {
  const found = [];
  for (let at = 0; at < one.length; at++) {
    if (one[at] === other[at]) continue;
    const start = Math.max(at - BESIDE, 0);
    while (at < one.length && !one.subarray(at, at + BESIDE).every((word, more) => word === other[at + more])) at++;
    found.push(start, Math.min(at + BESIDE, one.length) - start);
  }
  return found;
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
