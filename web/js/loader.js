// Start the browser's Python with the engine in it, from files beside this page and nowhere else.
//
// Pyodide gets one archive of bytecode as its standard library (web/make/bundle.py). The archive cannot
// hold pydantic-core's compiled module, so that one is loaded before Python starts, at the same place in
// memory each time: that is also what resuming from a memory snapshot will need of this layout.

const FOLDER = "/lib/compiled"; // in Pyodide's own file system
const CORE = `${FOLDER}/_pydantic_core.so`;
const WASM_MAGIC = new Uint8Array([0, 0x61, 0x73, 0x6d]);

// Pydantic's plugins would be looked for in the metadata of installed packages, of which there is none.
const ENVIRONMENT = { PYDANTIC_DISABLE_PLUGINS: "__all__" };

const IMPORT_ENGINE = `
import sys
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_file_location

def import_compiled(name, path):
    spec = spec_from_file_location(name, path, loader=ExtensionFileLoader(name, path))
    sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])

import_compiled("pydantic_core._pydantic_core", "${CORE}")

from calculator.api import answer
answer
`;

/**
 * @param {string} base address of the folder that holds the Python files, with a slash at its end
 * @param {(step: "start" | "import") => void} [entering] told when a part of the start begins
 * @returns {Promise<(request: string) => string>} the engine: one JSON string in, one out
 */
export async function load(base, entering = () => {}) {
  const [{ loadPyodide }, runtime] = await Promise.all([
    import(`${base}pyodide.mjs`),
    import(`${base}pyodide.asm.mjs`),
  ]);
  entering("start");
  const pyodide = await loadPyodide(settings(base, runtime.default));
  entering("import");
  return pyodide.runPython(IMPORT_ENGINE);
}

function settings(base, createRuntime) {
  return {
    indexURL: base,
    stdLibURL: `${base}site.zip`,
    env: ENVIRONMENT,
    fsInit: reserveCore,
    createPyodideModule: (options) => createRuntime(withCore(options, base)),
  };
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
