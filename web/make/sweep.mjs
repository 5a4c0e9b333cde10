// Leave nothing behind in the memory that is free: what was freed still holds what was in it.

const SIZES = [65536, 16384, 4096, 1024, 512, 256, 128, 64, 32, 16];

/** Fill with zeros whatever the runtime would give away below the end of what is in use. */
export function sweep(runtime) {
  const end = runtime.HEAPU32[runtime._emscripten_get_sbrk_ptr() >>> 2];
  const taken = SIZES.flatMap((size) => [...blocks(runtime, size, end)]);
  for (const at of taken) runtime._free(at);
}

function* blocks(runtime, size, end) {
  for (;;) {
    const at = runtime._malloc(size);
    runtime.HEAPU8.fill(0, at, at + size);
    yield at;
    if (at >= end) return;
  }
}
