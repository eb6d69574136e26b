// Opens reports in Chromium as a reader would: light and dark, wide and on a phone, on paper; clicks, hovers, downloads; axe judges.
// The page of novum serve is judged by axe alone.
// usage: node web_check.mjs MODULES CHROMIUM SCREENSHOT SERVE_PAGE REPORT...
import { createRequire } from "node:module";
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import assert from "node:assert/strict";

const [modules, chromiumPath, screenshot, servePage, ...reports] = process.argv.slice(2);
const require = createRequire(resolve(modules, "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const views = [
  { name: "light", width: 1100, height: 900, colorScheme: "light" },
  { name: "dark", width: 1100, height: 900, colorScheme: "dark" },
  { name: "phone", width: 375, height: 740, colorScheme: "light" },
  { name: "phone, dark", width: 375, height: 740, colorScheme: "dark" },
];

async function judge(page, what) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => axe.run({ resultTypes: ["violations"] }));
  const serious = found.violations.filter(v => v.impact === "serious" || v.impact === "critical");
  const minor = found.violations.length - serious.length;
  for (const v of found.violations) console.log(`    ${v.impact}: ${v.id}: ${v.help} (${v.nodes.length}) ${v.nodes[0].html.slice(0, 120)}`);
  assert.equal(serious.length, 0, `${what}: serious findings of axe`);
  return minor;
}

async function sorts(page) {
  const head = page.locator("#leaderboard thead th").nth(1);
  const scores = () => page.$$eval("#leaderboard tbody td:nth-child(2)", cells => cells.map(cell => Number(cell.dataset.value)));
  const ordered = (values, sign) => values.every((v, i) => i === 0 || sign * (v - values[i - 1]) >= 0);
  await head.locator("button").click();
  assert.equal(await head.getAttribute("aria-sort"), "ascending");
  assert.ok(ordered(await scores(), 1), "ascending after one click");
  await head.locator("button").press("Enter");
  assert.equal(await head.getAttribute("aria-sort"), "descending");
  assert.ok(ordered(await scores(), -1), "descending after Enter");
}

async function hovers(page) {
  const mark = page.locator("#comparison svg .tip circle").first();
  await mark.scrollIntoViewIfNeeded();
  await mark.hover();
  assert.ok(await page.locator("#tip").isVisible(), "a tip shows");
  assert.match(await page.locator("#tip").textContent(), /\d/);
  await page.mouse.move(2, 2);
  assert.ok(await page.locator("#tip").isHidden(), "the tip goes");
}

async function downloads(page) {
  for (const link of await page.locator("a[download]").all()) {
    const saved = async (timeout) => (await Promise.all([page.waitForEvent("download", { timeout }), link.click()]))[0];
    const file = await saved(3000).catch(() => saved(30000)); // Chromium passes over one that follows another too soon
    const text = readFileSync(await file.path(), "utf8");
    assert.match(file.suggestedFilename(), /\.csv$/);
    assert.ok(text.split("\n").length > 2, `${file.suggestedFilename()} holds rows`);
  }
}

const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"] });
try {
  for (const view of views) {
    const page = await browser.newPage({ viewport: view, colorScheme: view.colorScheme });
    await page.goto("file://" + servePage);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `serve, ${view.name}: no sideways scrolling`);
    console.log(`  page of novum serve, ${view.name}: fine (axe: nothing serious, ${await judge(page, "serve")} minor)`);
    await page.close();
  }
  for (const report of reports) {
    assert.ok(statSync(report).size < 3 * 2 ** 20, "under 3 MB");
    for (const view of views) {
      const context = await browser.newContext({ viewport: view, colorScheme: view.colorScheme, offline: true, acceptDownloads: true });
      const page = await context.newPage();
      const problems = [];
      page.on("pageerror", error => problems.push(error.message));
      page.on("console", message => problems.push(message.text()));
      page.on("request", request => { if (!/^(file|data):/.test(request.url())) problems.push(request.url()); });
      await page.goto("file://" + report);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${view.name}: no sideways scrolling`);
      if (screenshot && report === reports[0] && view.name === "light") await page.screenshot({ path: screenshot, clip: { x: 0, y: 0, width: 1100, height: 1250 }, fullPage: true });
      await sorts(page);
      await hovers(page);
      for (const summary of await page.locator("summary").all()) await summary.click();
      for (const link of await page.locator("nav a").all()) {
        await link.click();
        assert.ok(await page.locator(await link.getAttribute("href")).count(), "links lead somewhere");
      }
      const minor = await judge(page, `${report}, ${view.name}`);
      if (view.name === "light") {
        await downloads(page);
        await page.emulateMedia({ media: "print" });
        assert.ok(await page.locator("nav").isHidden(), "no navigation on paper");
        await page.emulateMedia({ media: "screen" });
      }
      assert.deepEqual(problems, [], `${view.name}: nothing goes wrong and nothing is fetched`);
      console.log(`  ${report.split("/").slice(-2).join("/")}, ${view.name}: fine (axe: nothing serious, ${minor} minor)`);
      await context.close();
    }
  }
} finally {
  await browser.close();
}
