// Start Pyodide from the folder that the address names, and do nothing with it: bare.html?stock, bare.html?pruned

const folder = new URL(`./${location.search.slice(1)}/`, import.meta.url).href;
const { loadPyodide } = await import(`${folder}pyodide.mjs`);
const pyodide = await loadPyodide({ indexURL: folder });
document.getElementById("status").dataset.state = pyodide.runPython("1 + 1") === 2 ? "live" : "failed";
