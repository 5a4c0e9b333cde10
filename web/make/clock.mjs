// Time stands still and chance is even: what reads them at build time is the same in each build.

import nodeCrypto from "node:crypto";

const MOMENT = Date.UTC(2024, 0, 1);

/**
 * Hold the clocks, their zone and the dice of this Node.
 *
 * @param {number} dice a byte: what they show, and the milliseconds that have gone by
 */
export function hold(dice) {
  process.env.TZ = "UTC";
  Date.now = () => MOMENT + dice;
  performance.now = () => dice;
  Math.random = () => dice / 256;
  crypto.getRandomValues = (array) => array.fill(dice);
  nodeCrypto.randomFillSync = (array) => array.fill(dice);
}
