// The service worker: after one visit the page works without a network.
//
// The build puts BUILD before this (web/make/offline.py):
//   version  names this build's pages
//   folders  the folders that are named by their content, each with its files and what each of them must be
//   costly   files of these that the page does without: they make a start shorter, where bytes are cheap
//   pages    further files, whose content may change under their name; the first page is ""
//   presets  the page of each preset, with what says the same behind the # of the first page
//
// Each folder has a cache of its own, under the folder's address: a new version fetches only the folders that
// have changed. A page that is open holds a lock on the folders it was made for (js/offline.js); their caches
// stay until it is gone, however many versions have come since.

const SCOPE = registration.scope;
const PAGES = `${SCOPE}page/${BUILD.version}/`;
const FOLDERS = Object.keys(BUILD.folders).map((folder) => SCOPE + folder);
const OWN = /^(?:a|py|page)\/[0-9a-f]{12}\//; // other sites may lie beside or below this one
const HOWEVER = { ignoreSearch: true, ignoreVary: true };

addEventListener("install", (event) => event.waitUntil(install()));
addEventListener("activate", (event) => event.waitUntil(begin()));
addEventListener("message", (event) => hear(event));
addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  if (method !== "GET" || !url.startsWith(SCOPE)) return;
  const path = url.slice(SCOPE.length).replace(/[?#].*/, "");
  const [folder] = OWN.exec(path) ?? [];
  if (folder) event.respondWith(kept(event, SCOPE + folder));
  else if (mode === "navigate") navigate(event, path);
  else if (BUILD.pages.includes(path)) event.respondWith(first(SCOPE + path, event.request));
});

// ---------------------------------------------------------------- answering

/** A file of a folder that never changes: from its cache, else from the network and, where it is the one, kept. */
async function kept(event, name) {
  const { request } = event;
  const found = await caches.match(request, { cacheName: name, ...HOWEVER });
  if (found) return found;
  try {
    const response = await fetched(request, integrity(name, request.url));
    event.waitUntil(keep(name, request, response.clone()));
    return response;
  } catch {
    return fetch(request); // something else stands there; that is for the page to deal with
  }
}

/** What a file of this version must be. */
function integrity(name, url) {
  const file = url.slice(name.length).replace(/[?#].*/, "");
  return BUILD.folders[name.slice(SCOPE.length)]?.[file];
}

/**
 * A file as the build made it. Login pages and fallbacks answer with something else and call it right, and what a
 * browser has once taken for a file of such a name it keeps for good: then it is asked for anew.
 */
async function fetched(request, integrity) {
  if (!integrity) throw new Error(`${request.url ?? request} is of another version`);
  try {
    return await fetch(request, { integrity });
  } catch {
    return fetch(request, { integrity, cache: "reload" });
  }
}

/** What cannot be kept, for want of room, is fetched again another time. */
async function keep(name, request, response) {
  try {
    await (await caches.open(name)).put(request, response);
  } catch (error) {
    console.info(`not kept for offline: ${error.message}`);
  }
}

async function first(url, request) {
  return (await caches.match(url, { cacheName: PAGES, ...HOWEVER })) ?? fetch(request);
}

/** Pages come as this version has them: with the styles and scripts that they were made for. */
function navigate(event, path) {
  if (path === "" || path === "index.html") return event.respondWith(first(SCOPE, event.request));
  const preset = [path, `${path}.html`].find((each) => each in BUILD.presets); // hosts may leave the end out
  if (preset) event.respondWith(presetPage(event, preset));
}

/** A preset's page is kept once it has been visited. The first page can show every preset. */
async function presetPage(event, preset) {
  const found = await caches.match(SCOPE + preset, { cacheName: PAGES, ...HOWEVER });
  if (found) return found;
  try {
    const response = await fetch(event.request);
    if (response.ok) event.waitUntil(keepPage(preset, response.clone()));
    return response;
  } catch {
    return Response.redirect(SCOPE + BUILD.presets[preset]);
  }
}

// ---------------------------------------------------------------- filling

/** Fill the caches. What a broken download leaves there counts at the next try; what a full storage leaves goes. */
async function install() {
  const before = await caches.keys();
  try {
    for (const [folder, files] of Object.entries(BUILD.folders)) await fill(SCOPE + folder, files);
    await fillPages(before.filter((name) => name.startsWith(`${SCOPE}page/`)));
  } catch (error) {
    if (error.name === "QuotaExceededError") await makeRoom(before);
    throw error;
  }
}

/** The page has just fetched most of it, under names that are good for ever: the browser need not ask again. */
async function fill(name, files) {
  const cache = await caches.open(name);
  for (const [file, integrity] of Object.entries(files)) {
    const url = name + file;
    if (BUILD.costly.includes(url.slice(SCOPE.length)) || (await cache.match(url, HOWEVER))) continue;
    await cache.put(url, await fetched(url, integrity));
  }
}

let filling = null;

/** Not while it takes over: whoever opens a page then would wait for it. */
const more = () => (filling ??= fillCostly().finally(() => (filling = null)));

/** The next start is to be a short one. On a dear or slow line only what is there already is kept. */
async function fillCostly() {
  const how = isDear() ? { cache: "only-if-cached", mode: "same-origin" } : {};
  for (const url of BUILD.costly.map((path) => SCOPE + path)) {
    const name = FOLDERS.find((folder) => url.startsWith(folder));
    if (await caches.match(url, { cacheName: name, ...HOWEVER })) continue;
    const response = await fetch(url, { ...how, integrity: integrity(name, url) }).catch(() => null);
    if (response?.ok) await keep(name, url, response);
  }
}

/** Browsers that say nothing of the line are taken for those of a good one. */
function isDear() {
  const { saveData = false, effectiveType = "4g" } = navigator.connection ?? {};
  return saveData || effectiveType !== "4g";
}

/** Those that are always kept, and the presets that were visited in an earlier version. */
async function fillPages(earlier) {
  const cache = await caches.open(PAGES);
  for (const path of BUILD.pages) {
    await cache.put(SCOPE + path, path ? await right(SCOPE + path) : await latest(SCOPE));
  }
  for (const name of earlier) {
    const urls = (await (await caches.open(name)).keys()).map(({ url }) => url);
    await Promise.all(urls.map((url) => refill(url.slice(SCOPE.length))));
  }
}

async function right(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return response;
}

async function refill(preset) {
  if (!(preset in BUILD.presets)) return;
  const response = await latest(SCOPE + preset).catch(() => null);
  if (response) await keepPage(preset, response);
}

/** A page of this version: what the browser has of it may be older, and needs not be asked for if not. */
async function latest(url) {
  for (const cache of ["force-cache", "reload"]) {
    const response = await fetch(url, { cache });
    if (response.ok && (await isOfThisVersion(response.clone()))) return plain(response);
  }
  throw new Error(`${url} is of another version`);
}

async function keepPage(preset, response) {
  if (await isOfThisVersion(response.clone())) await keep(PAGES, SCOPE + preset, plain(response));
}

async function isOfThisVersion(response) {
  const text = await response.text();
  return Object.keys(BUILD.folders).some((folder) => folder.startsWith("a/") && text.includes(folder));
}

/** The same as if it had come straight and as it is: an answer that was redirected cannot answer for a page. */
function plain({ body, headers, status }) {
  const told = new Headers(headers);
  for (const name of ["Content-Encoding", "Content-Length"]) told.delete(name);
  return new Response(body, { headers: told, status });
}

// ---------------------------------------------------------------- one version after another

async function begin() {
  await clients.claim();
  const pages = await clients.matchAll({ type: "window" });
  await Promise.all(pages.map(({ url }) => refill(url.slice(SCOPE.length).replace(/[?#].*/, ""))));
  await tidy();
}

/** Delete what other versions have left, but for what a page that is open may still ask for, or the next version. */
async function tidy() {
  for (const name of (await caches.keys()).filter(isLeft)) {
    if (registration.installing ?? registration.waiting) return;
    await navigator.locks?.request(name, { ifAvailable: true }, (lock) => lock && caches.delete(name));
  }
}

function isLeft(name) {
  return name.startsWith(SCOPE) && OWN.test(name.slice(SCOPE.length)) && name !== PAGES && !FOLDERS.includes(name);
}

async function makeRoom(before) {
  const added = (await caches.keys()).filter((name) => [PAGES, ...FOLDERS].includes(name) && !before.includes(name));
  await Promise.all(added.map((name) => caches.delete(name)));
  for (const page of await clients.matchAll({ includeUncontrolled: true })) page.postMessage("full");
}

/** "activate": take over from the version before; "tidy"; "folders": say which ones this version is made of. */
function hear(event) {
  if (event.data === "activate") skipWaiting();
  if (event.data === "tidy") event.waitUntil(tidy());
  if (event.data === "more") event.waitUntil(more());
  if (event.data === "folders") event.ports[0].postMessage(FOLDERS);
}
