// What most pages with Python do: start Pyodide as it comes, let micropip install the wheels, import, answer.
//
// micropip is told that it has all it needs, and does not look for dependencies: that is in its favour.

import { loadPyodide } from "./stock/pyodide.mjs";

const here = (path) => new URL(path, import.meta.url).href;
const wanted = fetch(here("job.json")).then((response) => response.json());

const pyodide = await loadPyodide({ indexURL: here("stock/") });
const { micropip, wheels, request } = await wanted;
await pyodide.loadPackage(here(micropip), { checkIntegrity: false });
await pyodide.pyimport("micropip").install.callKwargs(wheels.map(here), { deps: false });
const answer = pyodide.runPython("from calculator.api import answer\nanswer");
const { ok, parts } = JSON.parse(answer(request));
document.getElementById("answer").innerHTML = Object.values(parts ?? {}).join("");
document.getElementById("status").dataset.state = ok ? "live" : "failed";
