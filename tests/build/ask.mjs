// Ask the built engine under Node, started by the page's own loader.
// Reads {loader, base, requests: [JSON string]}; prints the answers as a JSON list.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { loader, base, requests } = JSON.parse(readFileSync(0, "utf8"));
const { load } = await import(pathToFileURL(loader).href);
globalThis.fetch = (url) => Promise.reject(new Error(`asked the network for ${url}`));
const answer = await load(base);
console.log(JSON.stringify(requests.map((request) => answer(request))));
