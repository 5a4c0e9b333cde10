// Nothing is downloaded in the single file, so there is nothing to watch, and nothing to end.

export const watch = () => () => {};
