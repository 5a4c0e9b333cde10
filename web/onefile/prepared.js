// No answers stand ready in the single file: every one comes from the engine, as soon as it is up.

export const prepared = null;
