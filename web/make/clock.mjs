// Time stands still and chance is even: what reads them at build time is the same in each build.

const MOMENT = Date.UTC(2024, 0, 1);

/** Hold the clocks and the dice of this Node. What is made from them must not depend on them later. */
export function hold() {
  Date.now = () => MOMENT;
  performance.now = () => 0;
  Math.random = () => 0.5;
  crypto.getRandomValues = (array) => array.fill(0);
}
