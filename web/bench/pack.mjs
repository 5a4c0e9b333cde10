// Compress files with brotli, each beside itself, where that is not done: {files: [PATH]}; prints {packed: count}.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";

const LARGE = 1 << 20; // the best quality takes minutes for large files and gains little
const WORTH = 0.98;

const { files } = JSON.parse(readFileSync(0, "utf8"));
let packed = 0;
for (const file of files) {
  if (existsSync(`${file}.br`)) continue;
  const content = readFileSync(file);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: content.length > LARGE ? 9 : 11,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  };
  const small = brotliCompressSync(content, { params });
  if (small.length >= content.length * WORTH) continue;
  writeFileSync(`${file}.br`, small);
  packed += 1;
}
console.log(JSON.stringify({ packed }));
