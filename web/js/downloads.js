// How the start's downloads go, without touching them: the browser keeps a list of what it fetched.

/**
 * Watch until all have arrived or one has not. The latter has to be seen from outside: when the
 * runtime's own file or the compiled module is missing, Pyodide does not fail but waits forever.
 *
 * @param {string} base address of the folder they come from
 * @param {string[]} files
 * @param {{arrived: (loaded: number, total: number) => void, lost: (file: string) => void}} tell
 * @returns {() => void} ends it
 */
export function watch(base, files, tell) {
  const there = new Set();
  const observer = new PerformanceObserver((list) => list.getEntries().forEach(note));
  tell.arrived(0, files.length);
  observer.observe({ type: "resource", buffered: true });
  return () => observer.disconnect();

  function note(entry) {
    const file = entry.name.slice(base.length);
    if (!entry.name.startsWith(base) || !files.includes(file)) return;
    if (hasFailed(entry)) {
      observer.disconnect();
      tell.lost(file);
      return;
    }
    there.add(file);
    tell.arrived(there.size, files.length);
    if (there.size === files.length) observer.disconnect();
  }
}

/** @param {PerformanceResourceTiming} entry */
const hasFailed = ({ responseStatus, decodedBodySize }) => responseStatus >= 400 || decodedBodySize === 0;
