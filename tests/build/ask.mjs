// Ask the built engine under Node.
// Reads {loader, base, way, whole, requests: [JSON string]}; prints the answers as a JSON list.

import { readRequest, start } from "./python.mjs";

const request = readRequest();
const { answer } = await start(request);
console.log(JSON.stringify(request.requests.map((each) => answer(each))));
