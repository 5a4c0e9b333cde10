// How the start's downloads go. Where one is lost, Pyodide may warn on the console and wait forever: that is told
// here, from around the two functions that it uses. What has arrived is in the list that the browser keeps.

const WASM = "application/wasm";

/**
 * Be told how many have arrived, and of one that has not.
 *
 * @param {string} base address of the folder they come from
 * @param {string[]} files
 * @param {{arrived: (loaded: number, total: number) => void, lost: (error: Error) => void, anew: boolean}} how
 *   `anew`: whatever the browser keeps of them
 * @returns {() => void} ends it
 */
export function watch(base, files, { arrived, lost, anew }) {
  const observer = follow(base, files, arrived);
  const { fetch } = self;
  const { instantiateStreaming } = WebAssembly;
  const how = anew ? { cache: "reload" } : {};
  self.fetch = (address, more) => orTell(received(fetch, address, { ...how, ...more }), lost);
  WebAssembly.instantiateStreaming = (source, imports) => orTell(instantiateStreaming(typed(source), imports), lost);
  return () => {
    observer.disconnect();
    Object.assign(self, { fetch });
    Object.assign(WebAssembly, { instantiateStreaming });
  };
}

/** @param {(loaded: number, total: number) => void} arrived */
function follow(base, files, arrived) {
  const there = new Set();
  const observer = new PerformanceObserver((list) => list.getEntries().forEach(note));
  arrived(0, files.length);
  observer.observe({ type: "resource", buffered: true });
  return observer;

  function note({ name }) {
    const file = name.slice(base.length);
    if (!name.startsWith(base) || !files.includes(file)) return;
    there.add(file);
    arrived(there.size, files.length);
    if (there.size === files.length) observer.disconnect();
  }
}

/** Not every host knows what WebAssembly is called, and browsers insist on it. */
async function typed(source) {
  const response = await source;
  if (response.headers.get("Content-Type") === WASM) return response;
  return new Response(response.body, { headers: { "Content-Type": WASM } });
}

async function received(fetch, address, more) {
  const response = await fetch(address, more).catch(() => null);
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
