// The rest of Python: readers of pasted text, and whatever else the first answers do without.

const LOST = "a part of the calculator that this needs could not be fetched; it is tried again the next time";
const QUIET_MS = 500;

export class Later {
  #address;
  #add;
  #coming = null;
  #again = false;

  /** Whether all is there. */
  there = false;

  /**
   * @param {string} address of the archive
   * @param {(archive: Uint8Array) => void} add gives it to Python
   */
  constructor(address, add) {
    this.#address = address;
    this.#add = add;
  }

  /**
   * Have all there, fetched once.
   *
   * @returns {Promise<void>} rejected, in words for people, when it cannot be fetched now
   */
  bring() {
    return (this.#coming ??= this.#fetch());
  }

  /** Have it there before long, while nobody waits. */
  soon() {
    if (!this.#coming) setTimeout(() => this.bring().catch(() => {}), QUIET_MS);
  }

  async #fetch() {
    try {
      const response = await fetch(this.#address, { cache: this.#again ? "reload" : "default" });
      if (!response.ok) throw new Error(response.statusText);
      this.#add(new Uint8Array(await response.arrayBuffer()));
      this.there = true;
    } catch (error) {
      this.#coming = null;
      this.#again = true; // what came may have been something else, which the browser would keep
      throw new Error(LOST, { cause: error });
    }
  }
}
