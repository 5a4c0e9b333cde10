// Start the browser's Python with the engine in it, from files beside this page and nowhere else.
//
// Directly: Pyodide gets an archive of bytecode as its standard library (web/make/bundle.py), imports the
// engine from it, and is ready. Resumed: it gets the memory of a Python that has done so at build time
// (web/make/snapshot.py), and an archive of the data alone. Either way it grows when the rest is added.
//
// An archive cannot hold pydantic-core's compiled module, so that one is loaded before Python starts, at
// the same place in memory each time: a memory fits only a runtime that has done the same.

import { join } from "./archives.js";
import { checksum, unpack } from "./memory.js";

const FOLDER = "/lib/compiled"; // in Pyodide's own file system
const CORE = `${FOLDER}/_pydantic_core.so`;
const WASM_MAGIC = new Uint8Array([0, 0x61, 0x73, 0x6d]);

const PROGRAM = "/python";

// Pydantic's plugins would be looked for in the metadata of installed packages, of which there is none.
// The other two would be the visitor's language and where the build runs: memories would differ by them.
const ENVIRONMENT = { PYDANTIC_DISABLE_PLUGINS: "__all__", LANG: "C.UTF-8", _: PROGRAM };

/** Import the engine; nothing of Python's is left in JavaScript's hands. */
export const IMPORT_ENGINE = `
import sys
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_file_location

def import_compiled(name, path):
    spec = spec_from_file_location(name, path, loader=ExtensionFileLoader(name, path))
    sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])

import_compiled("pydantic_core._pydantic_core", "${CORE}")

import calculator.api
None
`;

const DOOR = "import calculator.api; calculator.api.answer";

const LIBRARY = "next(path for path in __import__('sys').path if path.endswith('.zip'))";
const LOOK_AGAIN = `
from importlib import invalidate_caches
from calculator import resources

invalidate_caches()
resources.reread()
`;

// The same numbers would come in each browser, and the archive is another than the one that was there.
const AWAKE = `
import random
from zipfile import ZipFile

random.seed()
ZipFile(${LIBRARY}).close()
${LOOK_AGAIN}`;

/**
 * @typedef {{answer: (request: string) => string, add: (archive: Uint8Array) => void, python: object}} Python
 *   the engine, one JSON string in, one out; and a way to give it the files that were left for later
 * @typedef {(step: "start" | "import") => void} Entering told when a part of the start begins
 */

/**
 * @param {string} base address of the folder that holds the Python files, with a slash at its end
 * @param {Entering} [entering]
 * @returns {Promise<Python>}
 */
export async function load(base, entering = () => {}) {
  const python = await boot(base, { entering });
  entering("import");
  python.runPython(IMPORT_ENGINE);
  return opened(python);
}

/**
 * @param {string} base
 * @param {Entering} [entering]
 * @returns {Promise<Python>} rejected when there is no snapshot, or none that fits: then `load`
 */
export async function resume(base, entering = () => {}) {
  const packed = fetched(`${base}snapshot.bin`, "arrayBuffer");
  const told = fetched(`${base}snapshot.json`, "json");
  for (const each of [packed, told]) each.catch(() => {}); // awaited below
  const created = async (fresh) => {
    const { memory, checksum: expected } = await told;
    const there = roomy(fresh, memory);
    unpack(await packed, there);
    if (checksum(there) !== expected) throw new Error("it is not the memory that was taken");
  };
  const head = told.then(({ head }) => Uint8Array.from(atob(head), (sign) => sign.charCodeAt(0)));
  head.catch(() => {}); // awaited by Pyodide, which finds the rest of the memory in its place
  const python = await boot(base, { entering, library: "data.zip", _loadSnapshot: head, created });
  entering("import");
  python.runPython(AWAKE);
  const engine = opened(python);
  const { request, response } = await told;
  if (engine.answer(request) !== response) throw new Error("its answer is another");
  return engine;
}

/**
 * Start Pyodide, with the compiled module but without the engine.
 *
 * @param {string} base
 * @param {{library?: string, entering?: Entering, created?: (runtime: object) => unknown}} how
 *   `created` sees the runtime before Python starts; what else there is goes to Pyodide
 */
export async function boot(base, { library = "start.zip", entering = () => {}, created = () => {}, ...more }) {
  const runtime = import(`${base}pyodide.asm.mjs`);
  runtime.catch(() => {}); // awaited below
  const { loadPyodide } = await import(`${base}pyodide.mjs`);
  entering("start");
  return loadPyodide({
    indexURL: base,
    stdLibURL: `${base}${library}`,
    env: { ...ENVIRONMENT },
    _sysExecutable: PROGRAM,
    fsInit: reserveCore,
    async createPyodideModule(options) {
      const made = await (await runtime).default(withCore(options, base));
      await created(made);
      return made;
    },
    ...more,
  });
}

/** The memory of a runtime, made that large. */
export function roomy(runtime, bytes) {
  if (runtime.HEAPU8.length < bytes) runtime.growMemory(bytes);
  return runtime.HEAPU8.subarray(0, bytes);
}

/** Have the runtime load pydantic-core's compiled module before it starts Python. */
function withCore(options, base) {
  const { locateFile } = options;
  options.dynamicLibraries = [CORE];
  options.locateFile = (path) => (path === CORE ? `${base}pydantic_core.so` : locateFile(path));
  return options;
}

/** Python's importer wants to see a file there; what it holds has been loaded by then. */
async function reserveCore(fileSystem) {
  fileSystem.mkdirTree(FOLDER);
  fileSystem.writeFile(CORE, WASM_MAGIC);
}

function opened(python) {
  const add = (archive) => {
    const library = python.runPython(LIBRARY);
    python.FS.writeFile(library, join(python.FS.readFile(library), archive));
    python.runPython(LOOK_AGAIN);
  };
  return { answer: python.runPython(DOOR), add, python };
}

async function fetched(address, kind) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} is not there`);
  return response[kind]();
}
