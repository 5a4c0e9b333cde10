// The licences of what the single file is made of, unpacked when somebody wants to see them.

import { inflate, read } from "./packed.js";

const DAMAGED = "The licences cannot be unpacked: this file is damaged, or the browser is too old.";
const fold = document.getElementById("licences");
const inside = document.getElementById("licences-inside");

fold.addEventListener("toggle", show, { once: true });

async function show() {
  try {
    const pieces = [...document.querySelectorAll("script[data-licences]")];
    const html = await inflate(pieces.map(({ textContent }) => read(textContent)));
    inside.innerHTML = new TextDecoder().decode(html);
  } catch {
    inside.textContent = DAMAGED;
  }
}
