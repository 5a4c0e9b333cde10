// After one visit the page works without a network, and says when a new version of it is there (web/sw.js).
//
// Where service workers are not allowed (plain http, private windows, a file), all else works as ever.

import { PYTHON, ROOT } from "./places.js";

const PAUSE_MS = 3_600_000; // between two looks for a new version, on a page that stays open
const PATIENCE_MS = 4000;

const notice = document.getElementById("update");
const words = document.getElementById("update-text");
const workers = isSecureContext && ROOT ? navigator.serviceWorker : undefined;
const site = new URL(ROOT, import.meta.url).href;
const folders = [new URL("../", import.meta.url).href, new URL(PYTHON, import.meta.url).href];

let controlled = false;
let isFull = false;
let letGo = () => {};
let before = () => {};
let tell = () => {};

/** Keep what this page is made of in this browser for as long as it is open, whatever versions come meanwhile. */
function hold() {
  const gone = new Promise((resolve) => (letGo = resolve));
  for (const name of folders) navigator.locks?.request(name, { mode: "shared" }, () => gone).catch(() => {});
}

/**
 * Begin, early; nothing is fetched yet.
 *
 * @param {{leave: () => void, say: (words: string) => void}} page `leave` is called before the page is loaded again
 */
export function start({ leave, say }) {
  if (!workers) return;
  before = leave;
  tell = say;
  controlled = Boolean(workers.controller);
  hold();
  addEventListener("pagehide", () => letGo());
  addEventListener("pageshow", ({ persisted }) => persisted && hold());
  workers.addEventListener("message", ({ data }) => data === "full" && full());
  document.getElementById("update-reload").addEventListener("click", renew);
}

/** The engine is live: nothing that people wait for is in the way any more. */
export async function live() {
  if (!workers) return;
  try {
    const registration = await workers.register(`${site}sw.js`, { updateViaCache: "none" });
    follow(registration);
    watch(registration);
    for (const wish of ["tidy", "more"]) workers.controller?.postMessage(wish);
  } catch {
    // Not allowed here, or no network: the page is live all the same.
  }
}

function follow(registration) {
  arrived(registration.waiting);
  note(registration.installing);
  registration.addEventListener("updatefound", () => note(registration.installing));
  workers.addEventListener("controllerchange", () => {
    if (controlled) arrived(workers.controller);
    else workers.controller.postMessage("more");
    controlled = true;
  });
}

function note(worker) {
  worker?.addEventListener("statechange", () => worker.state === "installed" && arrived(worker));
}

/** Another version can take over; where it is the one that this page is of already, nobody needs to know. */
async function arrived(worker) {
  if (!worker || !workers.controller) return;
  const theirs = await ask(worker);
  if (folders.every((folder) => theirs.includes(folder))) worker.postMessage("activate");
  else announce();
}

function ask(worker) {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => resolve(data);
    worker.postMessage("folders", [port2]);
  });
}

function announce() {
  if (!notice.hidden) return;
  notice.hidden = false;
  tell(words.textContent);
}

/** There is no room for a new version beside this one. */
function full() {
  if (!workers.controller) return;
  isFull = true;
  announce();
}

/** Load the page again, as its new version. */
async function renew() {
  before();
  const registration = await workers.getRegistration(site);
  if (isFull) await clear(registration);
  const { waiting } = registration ?? {};
  if (!waiting || isFull) return location.reload();
  workers.addEventListener("controllerchange", () => location.reload());
  setTimeout(() => location.reload(), PATIENCE_MS);
  waiting.postMessage("activate");
}

/** Forget the version that is kept, but for what other pages still need of it. */
async function clear(registration) {
  letGo();
  await registration?.unregister();
  for (const name of (await caches.keys()).filter((each) => each.startsWith(site))) {
    await navigator.locks.request(name, { ifAvailable: true }, (lock) => lock && caches.delete(name));
  }
}

/** A page may stay open for weeks. */
function watch(registration) {
  let last = Date.now();
  document.addEventListener("visibilitychange", () => {
    if (document.hidden || Date.now() - last < PAUSE_MS) return;
    last = Date.now();
    registration.update().catch(() => {});
  });
}
