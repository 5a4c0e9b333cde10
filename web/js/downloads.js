// How the start's downloads go, without touching them: the browser keeps a list of what it fetched.

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
 * Watch until all have arrived or one has not. The latter has to be seen from outside: when the
 * runtime's own file or the compiled module is missing, Pyodide does not fail but waits forever.
 *
 * @param {string} base address of the folder they come from
 * @param {{arrived: (loaded: number, total: number) => void, lost: (file: string) => void}} tell
 */
export function watch(base, tell) {
  const there = new Set();
  const observer = new PerformanceObserver((list) => list.getEntries().forEach(note));
  tell.arrived(0, FILES.length);
  observer.observe({ type: "resource", buffered: true });

  function note(entry) {
    const file = entry.name.slice(base.length);
    if (!entry.name.startsWith(base) || !FILES.includes(file)) return;
    if (hasFailed(entry)) {
      tell.lost(file);
      observer.disconnect();
      return;
    }
    there.add(file);
    tell.arrived(there.size, FILES.length);
    if (there.size === FILES.length) observer.disconnect();
  }
}

/** @param {PerformanceResourceTiming} entry */
const hasFailed = ({ responseStatus, decodedBodySize }) => responseStatus >= 400 || decodedBodySize === 0;
