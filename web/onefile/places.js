// The single file has no folder, and no service worker could keep it. What Python fetches comes out of this file by
// name, wherever it is looked for.

export const PYTHON = "../py/";
export const ROOT = "";
