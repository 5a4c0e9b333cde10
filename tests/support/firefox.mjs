// Drives a Firefox over WebDriver BiDi: reads one command a line as JSON, answers each with one line.
// Arguments: the folder of the npm packages, the browser's program.
//
// In:  {"do": NAME, ...}   see `commands`
// Out: {"value": ...} or {"error": "..."}
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [packages, executablePath] = process.argv.slice(2);
const library = join(packages, "puppeteer-core", "lib", "puppeteer", "puppeteer-core.js");
const { default: puppeteer } = await import(pathToFileURL(library).href);

const browser = await puppeteer.launch({
  browser: "firefox",
  executablePath,
  headless: true,
  timeout: 120_000,
  protocolTimeout: 300_000,
  extraPrefsFirefox: { "browser.cache.disk.enable": true },
});
let page = null;
let complaints = [];
let requests = [];

const commands = {
  /** Somebody new: no cookies, no storage, no service worker of those before. */
  async begin() {
    const context = await browser.createBrowserContext();
    page = await context.newPage();
    await page.setViewport({ width: 1280, height: 800 });
    [complaints, requests] = [[], []];
    page.on("console", (message) => hear(message));
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("request", (request) => requests.push(request.url()));
  },
  has_page: () => page !== null,
  open: ({ address }) => page.goto(address, { timeout: 120_000, waitUntil: "domcontentloaded" }).then(() => null),
  back: () => page.goBack({ waitUntil: "domcontentloaded" }).then(() => null),
  evaluate: ({ script }) => page.evaluate(script),
  click: ({ selector }) => page.locator(selector).click(),
  async press({ selector, keys }) {
    await focus(selector);
    const [held, key] = keys.includes("+") ? keys.split("+") : [null, keys];
    if (held) await page.keyboard.down(held);
    await page.keyboard.press(key);
    if (held) await page.keyboard.up(held);
  },
  async type({ selector, text }) {
    await focus(selector);
    await page.$eval(selector, (element) => element.select());
    await page.keyboard.type(text);
  },
  complaints: () => complaints,
  requests: () => requests,
  version: () => browser.version(),
};

/** Keeps what the console was told; an error in it by its own text. */
async function hear(message) {
  const [all, at] = [complaints, complaints.push(message.text()) - 1];
  const words = message.args().map((value) => value.evaluate((given) => String(given?.stack ?? given)));
  all[at] = await Promise.all(words).then((said) => said.join(" ") || all[at], () => all[at]);
}

/** Puts the focus somewhere, as far as a person can: what lies in a closed fold does not get it. */
async function focus(selector) {
  await page.focus(selector);
  const there = await page.$eval(selector, (element) => element === document.activeElement);
  if (!there) throw new Error(`${selector} does not take the focus`);
}

for await (const line of createInterface({ input: process.stdin })) {
  const { do: name, ...given } = JSON.parse(line);
  try {
    console.log(JSON.stringify({ value: (await commands[name](given)) ?? null }));
  } catch (error) {
    console.log(JSON.stringify({ error: String(error?.message ?? error) }));
  }
}
await browser.close();
