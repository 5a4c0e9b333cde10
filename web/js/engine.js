// The page's side of the engine: starts the worker, asks it, and answers only what is still wanted.

import { open } from "./thread.js";

const CANNOT_LOAD = "the engine's files cannot be loaded";
const STOPPED = "Python has stopped";
const PATIENCE_MS = 180_000; // without any sign of progress

/**
 * @typedef {{step: "fetch" | "unpack" | "start" | "import" | "ready" | "failed", loaded?: number, total?: number,
 *   reason?: string}} Progress
 */

export class Engine {
  #tell;
  #worker = null;
  #ready = false;
  #anew = false;
  #timer = 0;
  #asked = null; // the request that the worker has
  #waiting = null; // the newest one after it
  #aside = []; // what can wait until nothing else does
  #lastId = 0;

  /** @param {(progress: Progress) => void} [tell] told of every step of the start, and of its failure */
  constructor(tell = () => {}) {
    this.#tell = tell;
  }

  /**
   * Begin to load; once is enough.
   *
   * @param {"direct" | "resumed"} [way] else the thread chooses
   * @param {boolean} [anew] without trust in what the browser keeps of Python's files
   */
  start(way, anew = false) {
    if (this.#worker) return;
    this.#ready = false;
    this.#anew = anew;
    const worker = open(way, anew);
    const isCurrent = () => worker === this.#worker; // one that was let go may still have said something
    worker.onmessage = ({ data }) => isCurrent() && this.#hear(data);
    worker.onerror = ({ message }) => isCurrent() && this.#fail(message || CANNOT_LOAD);
    this.#worker = worker;
    this.#expectSign();
  }

  /** Load again after a failure. What was asked last is still answered then. */
  retry() {
    this.#drop();
    this.start(undefined, true);
  }

  /**
   * Ask the engine, now or as soon as it is up. The newest request wins: one that is overtaken before
   * the worker has taken it up is never computed.
   *
   * @param {object} request
   * @returns {Promise<object | null>} the answer; null when a newer request took this one's place
   */
  ask(request) {
    return new Promise((resolve, reject) => {
      this.#waiting?.resolve(null);
      this.#waiting = { id: ++this.#lastId, text: JSON.stringify(request), resolve, reject };
      this.#next();
    });
  }

  /**
   * Ask something that matters less than what people type: it waits for all else, and is never overtaken.
   *
   * @param {object} request
   * @returns {Promise<object>} the answer
   */
  askAside(request) {
    return new Promise((resolve, reject) => {
      this.#aside.push({ id: ++this.#lastId, text: JSON.stringify(request), resolve, reject, aside: true });
      this.#next();
    });
  }

  #next() {
    if (!this.#ready || this.#asked) return;
    this.#asked = this.#waiting ?? this.#aside.shift() ?? null;
    this.#waiting = null;
    if (!this.#asked) return;
    this.#worker.postMessage({ id: this.#asked.id, request: this.#asked.text });
  }

  #hear(message) {
    if (message.type === "failed") return this.#fail(message.message);
    if (message.type === "progress") return this.#advance(message);
    if (message.type === "ready") return this.#begin();
    if (message.type === "instead") return this.#restart(message.way);
    return this.#settle(message);
  }

  #advance({ step, loaded, total }) {
    this.#expectSign();
    this.#tell({ step, loaded, total });
  }

  #restart(way) {
    this.#worker.terminate();
    this.#worker = null;
    this.start(way, this.#anew);
  }

  #begin() {
    clearTimeout(this.#timer);
    this.#ready = true;
    this.#tell({ step: "ready" });
    this.#next();
  }

  #settle({ id, response, fault }) {
    if (this.#asked?.id !== id) return;
    const { resolve, reject } = this.#asked;
    this.#asked = null;
    if (fault === undefined) resolve(JSON.parse(response));
    else reject(new Error(fault));
    this.#next();
  }

  #fail(reason) {
    this.#drop();
    this.#tell({ step: "failed", reason });
  }

  /** Let go of the worker, and of what was asked aside; what it was asked waits again, unless something newer does. */
  #drop() {
    clearTimeout(this.#timer);
    this.#worker?.terminate();
    this.#worker = null;
    this.#ready = false;
    const asked = this.#asked;
    this.#asked = null;
    for (const each of this.#aside.splice(0)) each.reject(new Error(STOPPED));
    if (asked?.aside) asked.reject(new Error(STOPPED));
    else if (this.#waiting) asked?.resolve(null);
    else this.#waiting = asked;
  }

  #expectSign() {
    clearTimeout(this.#timer);
    const seconds = PATIENCE_MS / 1000;
    this.#timer = setTimeout(() => this.#fail(`nothing has arrived for ${seconds} seconds`), PATIENCE_MS);
  }
}
