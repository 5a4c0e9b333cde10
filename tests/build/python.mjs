// The built engine under Node, started by the page's own loader, which finds its files in a folder.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/**
 * @param {{loader: string, base: string, way: "load" | "resume", whole?: boolean}} how
 *   `whole`: with the files that a page fetches later
 */
export async function start({ loader, base, way, whole }) {
  const ways = await import(pathToFileURL(loader).href);
  globalThis.fetch = async (url) => {
    if (!String(url).startsWith(base)) throw new Error(`asked the network for ${url}`);
    return new Response(readFileSync(url));
  };
  const engine = await ways[way](base);
  if (whole) engine.add(new Uint8Array(readFileSync(`${base}later.zip`)));
  return engine;
}

export const readRequest = () => JSON.parse(readFileSync(0, "utf8"));
