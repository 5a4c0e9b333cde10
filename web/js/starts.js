// Which way the engine starts: resumed takes less work, directly takes fewer bytes.

const SHARED = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json", "pydantic_core.so"];

/** The files that each start fetches from the Python folder. */
export const FILES = {
  direct: [...SHARED, "start.zip"],
  resumed: [...SHARED, "data.zip", "snapshot.json", "snapshot.bin"],
};

const FAST_MBIT = 10; // a second; browsers that tell say no more than this

/**
 * @param {string} base address of the Python folder
 * @param {string} wanted a start by name, whatever the line; or ""
 * @returns {Promise<"direct" | "resumed">}
 */
export async function choose(base, wanted) {
  if (Object.hasOwn(FILES, wanted)) return wanted;
  for (const way of ["resumed", "direct"]) {
    if (await areStored(FILES[way].map((file) => base + file))) return way; // it costs no line at all
  }
  return isSlow() ? "direct" : "resumed";
}

/** Whether the browser says that bytes are dear. Most say nothing. */
export const isMetered = () => navigator.connection?.saveData === true;

function isSlow() {
  const { effectiveType = "4g", downlink = FAST_MBIT } = navigator.connection ?? {};
  return isMetered() || effectiveType !== "4g" || downlink < FAST_MBIT;
}

/** Only a page that is served safely has a store, and where it is forbidden to look there is nothing in it. */
async function areStored(addresses) {
  const stored = addresses.map((address) => globalThis.caches?.match(address).catch(() => null));
  return (await Promise.all(stored)).every(Boolean);
}
