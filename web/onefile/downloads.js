// Nothing is downloaded in the single file, so there is nothing to watch.

export function watch() {}
