// How the start's downloads go. Where one is lost, Pyodide may warn on the console and wait forever: that is told
// here, from around the two functions that it uses. What has arrived is in the list that the browser keeps.

/** The files that a start fetches from the Python folder. */
const FILES = [
  "pyodide.mjs",
  "pyodide.asm.mjs",
  "pyodide.asm.wasm",
  "pyodide-lock.json",
  "pydantic_core.so",
  "site.zip",
];

/**
 * Be told how many have arrived, and of one that has not.
 *
 * @param {string} base address of the folder they come from
 * @param {{arrived: (loaded: number, total: number) => void, lost: (error: Error) => void}} tell
 */
export function watch(base, { arrived, lost }) {
  follow(base, arrived);
  const { fetch } = self;
  self.fetch = (address, ...more) => orTell(received(fetch, address, more), lost);
  const { instantiateStreaming } = WebAssembly;
  WebAssembly.instantiateStreaming = (...given) => orTell(instantiateStreaming(...given), lost);
}

/** @param {(loaded: number, total: number) => void} arrived */
function follow(base, arrived) {
  const there = new Set();
  const observer = new PerformanceObserver((list) => list.getEntries().forEach(note));
  arrived(0, FILES.length);
  observer.observe({ type: "resource", buffered: true });

  function note({ name }) {
    const file = name.slice(base.length);
    if (!name.startsWith(base) || !FILES.includes(file)) return;
    there.add(file);
    arrived(there.size, FILES.length);
    if (there.size === FILES.length) observer.disconnect();
  }
}

async function received(fetch, address, more) {
  const response = await fetch(address, ...more).catch(() => null);
  if (response?.ok) return response;
  throw new Error(`${String(address.url ?? address).split("/").at(-1)} has not arrived`);
}

async function orTell(promise, tell) {
  try {
    return await promise;
  } catch (error) {
    tell(error);
    throw error;
  }
}
