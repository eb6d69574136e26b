// What all checks of the lab in Chromium share: pages, their addresses, findings, and axe.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { deflateRawSync } from "node:zlib";
import { chromium } from "playwright-core";

const [executablePath, lab, folder, told, ...names] = process.argv.slice(2);
export const address = lab;
export const out = folder;
/** `slack` widens limits of time, `server` is the server's process, `quick` asks for less of everything. */
export const options = JSON.parse(told);
export const only = names;
export const slack = options.slack;
export const origin = new URL(address).origin;
export const token = /t=([0-9a-f]+)/.exec(address)[1];
export const SEED = 20260; // no recorded run has it
export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
export const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
/** Findings, each a line. */
export const wrong = [];

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const packed = (state) => deflateRawSync(Buffer.from(JSON.stringify(state))).toString("base64url");
const place = (scene, state) => `/${scene}${Object.keys(state).length ? `?s=${packed(state)}` : ""}`;

export const hash = (scene, state = {}) => `#${place(scene, state)}`;
export const at = (scene, state = {}, more = "") => `${origin}/#/${scene}?t=${token}${Object.keys(state).length ? `&s=${packed(state)}` : ""}${more}`;

export async function open(url, options = {}, before = async () => undefined) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, colorScheme: "light", locale: "en-GB", acceptDownloads: true, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000 * slack);
  page.on("pageerror", (error) => wrong.push(`error in the page ${page.url()}: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && !/favicon|404/.test(message.text()) && wrong.push(`console of ${page.url()}: ${message.text()}`));
  await before(page);
  await page.goto(url);
  return page;
}

export const close = (page) => page.context().close();
export const drawn = (page) => page.waitForFunction(() => performance.getEntriesByName("first-frame").length > 0);
export const quantile = (list, q) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(q * list.length))];

const sessions = new WeakMap();

/** Milliseconds of a processor that the main thread of a page has taken since this was first asked of it. */
export async function threadTime(page) {
  if (!sessions.has(page)) {
    sessions.set(page, await page.context().newCDPSession(page));
    await sessions.get(page).send("Performance.enable");
  }
  const { metrics } = await sessions.get(page).send("Performance.getMetrics");
  return 1000 * metrics.find((one) => one.name === "ThreadTime").value;
}

export async function catalogue() {
  const { scenes } = await (await fetch(`${origin}/api/scenes`, { headers: { "X-Novum-Token": token } })).json();
  return scenes.filter((scene) => !only.length || only.includes(scene.name));
}

export async function judge(page, what) {
  await page.evaluate(axe); // Playwright's own world: the page's policy forbids scripts of others
  const { violations } = await page.evaluate(() => axe.run({ resultTypes: ["violations"] }));
  for (const v of violations) wrong.push(`axe, ${what}: ${v.id}: ${v.help} (${v.nodes.length}) ${v.nodes[0].html.slice(0, 140)}`);
}

/** Does the canvas show anything: how many colours stand on a coarse net of its pixels? */
export const colors = (page, selector = ".card.main canvas") =>
  page.$eval(selector, (canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const seen = new Set();
    for (let i = 0; i < data.length; i += 4 * 37) seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
    return seen.size;
  });

export async function check(what, test) {
  const before = wrong.length;
  const since = performance.now();
  try {
    await test();
  } catch (error) {
    wrong.push(`${what}: ${String(error.message).split("\n").slice(0, 6).join(" | ")}`);
  }
  console.log(`  ${wrong.length === before ? "ok  " : "FAIL"} ${what} (${((performance.now() - since) / 1000).toFixed(1)} s)`);
  for (const line of wrong.slice(before)) console.log(`         ${line}`);
}
