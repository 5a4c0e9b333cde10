// Where things lie, seen from this file; the build puts in where they lie on the site (web/make/assets.py).

/** The folder of the browser's Python. */
export const PYTHON = "../py/";

/** The folder that holds index.html and the service worker; nothing where the page has no folder of its own. */
export const ROOT = "../";
