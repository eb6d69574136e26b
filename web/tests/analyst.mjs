// The analyst's pages in Chromium as a stranger uses them: a table from a file, a study of it, every page; axe judges each.
// usage: node analyst.mjs CHROMIUM ADDRESS OUT SLACK TABLE SECONDS
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { chromium } from "playwright-core";

const [executablePath, address, out, slackText, table, seconds] = process.argv.slice(2);
const slack = Number(slackText);
const [origin, token] = [new URL(address).origin, /t=([0-9a-f]+)/.exec(address)[1]];
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"] });
const wrong = [];

async function open(where, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, colorScheme: "light", locale: "en-GB", acceptDownloads: true, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000 * slack);
  page.on("pageerror", (error) => wrong.push(`error in the page: ${error.message}`));
  // a refused request is an answer that the page shows as a sentence, and the console names it too
  page.on("console", (message) => message.type() === "error" && !/favicon|status of 4\d\d/.test(message.text()) && wrong.push(`console: ${message.text()}`));
  await page.goto(`${origin}/#/${where}${where.includes("?") ? "&" : "?"}t=${token}`);
  return page;
}

const close = (page) => page.context().close();
const settled = (page) => page.waitForFunction(() => document.querySelector("main[aria-busy=false], main:not([aria-busy])") && document.querySelector("main .card, main .closed"));

async function judge(page, what) {
  await page.waitForTimeout(400); // what glides is judged where it ends
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => axe.run({ resultTypes: ["violations"] }));
  for (const v of violations) wrong.push(`axe, ${what}: ${v.id}: ${v.help} (${v.nodes.length}) ${v.nodes[0].html.slice(0, 140)} ${v.nodes[0].failureSummary.slice(0, 200)}`);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (wide > 0) wrong.push(`${what}: the page is ${wide} px wider than the window`);
}

async function check(what, test) {
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

async function uploadAndStudy() {
  const page = await open("study/new");
  await page.waitForSelector(".new-study .primary");
  await judge(page, "before a table");
  await page.screenshot({ path: join(out, "0-empty.png"), fullPage: true });
  await page.setInputFiles("input[type=file]", { name: "picture.csv", mimeType: "text/csv", buffer: Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]) });
  await page.waitForSelector(".refused");
  await judge(page, "a file that is no table");
  await page.setInputFiles("input[type=file]", table);
  await page.waitForSelector(".table-holder table");
  assert.equal(await page.locator(".table-holder tbody tr").count(), 7, "every column is listed");
  assert.equal(await page.locator("tr.marked").count(), 1, "the column to predict is marked");
  await page.locator(".pick", { hasText: "esito" }).click();
  await page.waitForFunction(() => /esito/.test(document.querySelector("tr.marked")?.textContent ?? ""));
  await judge(page, "a table");
  await page.screenshot({ path: join(out, "1-table.png"), fullPage: true });
  await page.locator("#control-seconds-box").fill(seconds);
  await page.locator("#control-seconds-box").press("Enter");
  await page.locator(".new-study .primary").click();
  await page.waitForSelector(".log dt");
  await judge(page, "while a study runs");
  await page.screenshot({ path: join(out, "2-runs.png"), fullPage: true });
  await page.waitForFunction(() => document.querySelector("nav.tabs [aria-current=page]")?.getAttribute("href") === "#/study/leaderboard", undefined, { timeout: (Number(seconds) + 60) * 1000 * slack });
  await settled(page);
  await close(page);
}

async function everyPage(what, options, names) {
  for (const name of names) {
    const page = await open(`study/${name}${options.lang ? `?lang=${options.lang}` : ""}`, options.context);
    await settled(page);
    assert.ok(await page.locator("h1").textContent());
    await judge(page, `${name}, ${what}`);
    await page.screenshot({ path: join(out, `${name}-${what}.png`), fullPage: true });
    await close(page);
  }
}

async function fromRowToWhatIf() {
  const page = await open("study/rows");
  await page.locator(".pick").nth(2).click();
  await page.waitForSelector("tr.marked");
  await judge(page, "a chosen row");
  await page.locator(".notice button", { hasText: "What if" }).click();
  await page.waitForFunction(() => /Row \d+ of the table/.test(document.querySelector(".sentence")?.textContent ?? ""));
  await page.locator("#control-turn").check();
  await page.waitForFunction(() => /turns? the decision/.test(document.querySelector(".sentence")?.textContent ?? ""));
  await judge(page, "the smallest change");
  await page.screenshot({ path: join(out, "row-what-if.png"), fullPage: true });
  await page.locator("nav.tabs a", { hasText: "Take away" }).click();
  await page.waitForFunction(() => /The row that was asked about/.test(document.querySelector("pre code")?.textContent ?? ""));
  const [script] = await Promise.all([page.waitForEvent("download"), page.locator("button", { hasText: "study.py" }).click()]);
  assert.equal(script.suggestedFilename(), "study.py");
  await judge(page, "the script");
  await close(page);
}

async function bySlice() {
  const page = await open("study/slices");
  await settled(page);
  const picks = page.locator(".pick");
  if ((await picks.count()) === 0) return console.log("       no slice was found, so none was chosen");
  await picks.first().click();
  await page.waitForSelector(".notice");
  await page.locator("nav.tabs a", { hasText: "Rows" }).click();
  await page.waitForSelector(".notice button");
  await judge(page, "the rows of a slice");
  await page.locator(".notice button", { hasText: "All rows" }).click();
  await page.waitForFunction(() => !document.querySelector(".title .notice"));
  await close(page);
}

async function withKeysAlone() {
  const page = await open("study/population");
  await settled(page);
  const before = await page.locator(".kind-number output").first().getAttribute("data-value");
  await page.locator("#control-prevalence").focus();
  for (let i = 0; i < 20; i++) await page.keyboard.press("ArrowLeft");
  await page.waitForFunction((old) => document.querySelector(".kind-number output")?.getAttribute("data-value") !== old, before);
  await close(page);
}

const names = ["leaderboard", "what-if", "thresholds", "curves", "population", "slices", "dependence", "learning-curve", "versus", "rows", "take-away", "new"];
await check("a table is chosen, described and studied", uploadAndStudy);
await check("every page", () => everyPage("light", {}, names));
await check("every page in the dark, in Italian", () => everyPage("dark-it", { lang: "it", context: { colorScheme: "dark", locale: "it-IT" } }, names));
await check("every page on a phone", () => everyPage("phone", { context: { viewport: { width: 390, height: 844 } } }, names));
await check("from a row to its smallest change and the script", fromRowToWhatIf);
await check("one slice on other pages", bySlice);
await check("with keys alone", withKeysAlone);
await browser.close();
console.log(wrong.length ? `analyst_check: ${wrong.length} faults` : "analyst_check: nothing wrong");
process.exit(wrong.length ? 1 : 0);
