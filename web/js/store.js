// What this browser remembers for next time. Where that is not allowed, nothing is remembered.

/** @returns {string | null} */
export function recall(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/**
 * @param {string} key
 * @param {string | null} text nothing forgets it
 */
export function remember(key, text) {
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // Not allowed here: then it is not remembered.
  }
}
