// Beside the single file there is nothing: no Python to fetch, no service worker.

export const PYTHON = "";
export const ROOT = "";
