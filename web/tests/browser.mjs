// The lab in Chromium as a student uses it; axe judges; times are measured in the page.
// usage: node browser.mjs CHROMIUM ADDRESS OUT OPTIONS [SCENE...]      lab_check.py says what OPTIONS holds
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { address, at, browser, check, close, colors, drawn, judge, only, open, options, origin, out, SEED, slack, threadTime, token, wrong } from "./lab.mjs";
import { everyLook } from "./scenes.mjs";
import { fake } from "./study.mjs";
import { everyTime } from "./times.mjs";

// an address of a study, where the server has one, is tested by the server's own tests: here its answers are written by hand
const number = (page) => page.locator(".kind-number output").first().getAttribute("data-value").then(Number);
const frameNo = (page) => page.locator("#scrub").inputValue().then(Number);
const live = (page) => page.waitForFunction(() => !document.querySelector("fieldset.controls")?.disabled && document.querySelector(".card.main canvas")?.width > 300);

async function firstMinute() {
  const page = await open(address, {}, threadTime); // counted from here
  await page.waitForSelector(".card.main canvas");
  await page.waitForFunction(() => document.querySelector(".card.main canvas").width > 300);
  const ms = await page.evaluate(() => performance.now());
  const work = await threadTime(page);
  console.log(`       the picture stands ${ms.toFixed(0)} ms after the page was asked for, ${work.toFixed(0)} ms of them at work`);
  assert.ok(ms < 1000 * slack || work < 1000, "the picture is drawn within a second");
  await page.waitForTimeout(120);
  assert.ok((await colors(page)) > 5, "points and regions are drawn");
  assert.ok(!page.url().includes(token), "the token is not left in the address");
  assert.equal(await page.evaluate(() => document.cookie), "");
  const before = await number(page);
  await page.click("#step");
  await page.waitForTimeout(400);
  assert.ok((await number(page)) < before, "J falls with the first step");
  assert.match(await page.locator(".sentence").textContent(), /\d/, "a sentence says by how much");
  await live(page);
  assert.ok(await page.locator(".hint").isVisible(), "the hint is there until a cross was dragged");
  await page.waitForTimeout(300);
  const cross = await page.locator("[data-handle=cross1]").boundingBox();
  const [x, y] = [cross.x + cross.width / 2, cross.y + cross.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let i = 1; i <= 12; i++) await page.mouse.move(x - 6 * i, y + 5 * i);
  await page.mouse.up();
  await drawn(page);
  await page.waitForTimeout(300);
  assert.ok(await page.locator(".hint").isHidden(), "the hint is gone");
  const moved = await page.locator("[data-handle=cross1]").boundingBox();
  assert.ok(Math.abs(moved.x + moved.width / 2 - (x - 72)) < 4 && Math.abs(moved.y + moved.height / 2 - (y + 60)) < 4, "the cross stands where it was dragged");
  await page.click(".python summary");
  await page.waitForSelector("#code");
  assert.match(await page.locator("#code").textContent(), /KMeans/);
  await page.locator(".rail .switch button").nth(1).click();
  assert.ok((await page.locator(".lists h2").count()) > 0, "chapters are listed");
  await page.fill("#search", "k-means");
  await page.waitForSelector(".lists ul a");
  await close(page);
}

/** The number on the page is that of the script, to the last digit. */
async function scriptAgrees() {
  const page = await open(at("kmeans", { seed: SEED }, "&f=3"));
  await drawn(page);
  await page.waitForTimeout(500);
  const shown = await page.locator(".kind-number output").first().getAttribute("data-value");
  await page.click(".python summary");
  await page.waitForSelector("#code");
  const code = await page.locator("#code").textContent();
  const python = process.env.NOVUM_PYTHON ?? "python3";
  const printed = execFileSync(python, ["-c", code], { encoding: "utf8" }).trim().split("\n").at(-1);
  assert.equal(Number(printed), Number(shown), "what the script prints is what the page shows");
  await close(page);
}

async function keyboardOnly() {
  const page = await open(address);
  await live(page);
  await page.waitForTimeout(200);
  await page.keyboard.press("ArrowRight");
  assert.equal(await frameNo(page), 1, "an arrow steps");
  await page.keyboard.press("End");
  const last = await frameNo(page);
  assert.ok(last > 2);
  await page.keyboard.press("Home");
  assert.equal(await frameNo(page), 0);
  await page.keyboard.press(" ");
  await page.waitForFunction(() => Number(document.getElementById("scrub")?.value) >= 2);
  await page.keyboard.press(" ");
  await page.keyboard.press("Home");
  await page.evaluate(() => document.activeElement.blur());
  await page.locator(".skip").focus(); // the first thing that Tab reaches leads past the list of scenes
  await page.keyboard.press("Enter");
  let reached = false;
  for (let i = 0; i < 30 && !reached; i++) {
    await page.keyboard.press("Tab");
    reached = await page.evaluate(() => document.activeElement?.getAttribute("data-handle") === "cross0");
  }
  assert.ok(reached, "Tab reaches a cross");
  const before = await page.evaluate(() => document.activeElement.getAttribute("aria-label"));
  const J = await number(page);
  for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowLeft");
  await drawn(page);
  await page.waitForFunction((old) => Number(document.querySelector(".kind-number output").dataset.value) !== old, J);
  const after = await page.evaluate(() => document.activeElement.getAttribute("aria-label"));
  assert.notEqual(after, before, "the cross says where it is now, and keeps the focus");
  assert.equal(await frameNo(page), 0, "arrows on a cross move it, not the frames");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("2");
  await page.waitForFunction(() => document.querySelectorAll(".presets .chip")[1].getAttribute("aria-pressed") === "true");
  await page.keyboard.press("?");
  await page.locator("dialog").waitFor({ state: "visible" });
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "hidden" });
  await page.waitForFunction(() => document.querySelector("[role=status][aria-live=polite]").textContent.length > 5);
  await close(page);
}

async function roundTrip() {
  const page = await open(at("kmeans", { k: 4, seed: SEED }, "&f=2"));
  await drawn(page);
  await page.waitForFunction(() => document.getElementById("scrub")?.value === "2");
  const shown = await number(page);
  await page.waitForTimeout(700);
  const hash = new URL(page.url()).hash;
  assert.match(hash, /^#\/kmeans\?s=[\w-]+&f=2$/);
  const other = await open(`${origin}/${hash.replace("?", `?t=${token}&`)}`);
  await drawn(other);
  await other.waitForFunction(() => document.getElementById("scrub")?.value === "2");
  await other.waitForTimeout(300);
  assert.equal(await number(other), shown, "another page shows the same number");
  await close(other);
  await page.goto(`${origin}/#/kmeans?s=AAAA`);
  await page.waitForSelector(".notice");
  await close(page);
  const locked = await open(`${origin}/#/perceptron`);
  await locked.waitForSelector(".notice, .refused");
  await close(locked);
  wrong.splice(0, wrong.length, ...wrong.filter((line) => !/401|403/.test(line)));
}

async function offlineFile() {
  const page = await open(at("kmeans", {}, "&f=1"));
  await live(page);
  await page.click(".share summary");
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: /HTML/ }).click()]);
  const kept = join(out, "kmeans.html");
  await file.saveAs(kept);
  const size = statSync(kept).size;
  console.log(`       the offline page has ${(size / 1000).toFixed(0)} kB`);
  assert.ok(size <= 300_000, "the offline page has at most 300 kB");
  await close(page);
  const alone = await open(pathToFileURL(kept).href, { offline: true });
  await alone.waitForFunction(() => document.querySelector(".card.main canvas")?.width > 300);
  const before = await number(alone);
  await alone.click("#step");
  await alone.waitForTimeout(400);
  assert.notEqual(await number(alone), before);
  assert.ok(await alone.locator("fieldset.controls").first().evaluate((set) => set.disabled), "controls that need Python rest");
  assert.deepEqual(await alone.evaluate(() => performance.getEntriesByType("resource").map((e) => e.name)), [], "nothing is fetched");
  await judge(alone, "offline file");
  await close(alone);
}

async function looks() {
  for (const [name, options] of Object.entries({
    light: {},
    dark: { colorScheme: "dark" },
    phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
    "phone-dark": { viewport: { width: 390, height: 844 }, colorScheme: "dark", hasTouch: true, isMobile: true },
    italian: { locale: "it-IT" },
  })) {
    const page = await open(at("kmeans", {}, name === "italian" ? "&lang=it" : ""), options);
    await live(page);
    await page.locator("#step").click();
    await page.waitForTimeout(500);
    await judge(page, name);
    await page.screenshot({ path: join(out, `lab-${name}.png`) });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, `${name}: nothing sticks out to the side`);
    if (name.startsWith("phone")) {
      const order = await page.evaluate(() => [".card.main", "#step", ".kind-number", ".settings"].map((s) => document.querySelector(s).getBoundingClientRect().top));
      assert.deepEqual(order, [...order].sort((a, b) => a - b), "the picture and the step bar come first");
      assert.ok((await page.locator("#step").boundingBox()).height >= 44, "the button can be hit by a thumb");
      await page.evaluate(() => scrollTo(0, 600));
      await page.waitForTimeout(100);
      assert.ok((await page.locator(".card.main").boundingBox()).y > -60, "the picture stays in sight");
    }
    if (name === "italian") {
      assert.equal(await page.evaluate(() => document.documentElement.lang), "it");
      assert.match(await page.locator("#step").textContent(), /passo/i);
    }
    await close(page);
  }
  const page = await open(at("kmeans"));
  await live(page);
  await page.click("#theme");
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  await page.locator("button[lang=it]").click();
  await page.waitForFunction(() => document.documentElement.lang === "it");
  await page.emulateMedia({ media: "print" });
  assert.ok(await page.locator(".top").isHidden(), "paper has no buttons");
  await close(page);
}

async function gallery() {
  const file = join(out, "gallery.html");
  execFileSync("node", [new URL("gallery.mjs", import.meta.url).pathname, file]);
  for (const colorScheme of ["light", "dark"]) {
    const page = await open(pathToFileURL(file).href, { colorScheme, viewport: { width: 1280, height: 1000 } });
    await page.waitForTimeout(600);
    for (const canvas of await page.locator("canvas").all()) assert.ok((await canvas.evaluate((c) => c.width)) > 200);
    const kinds = await page.$$eval(".card[data-view]", (cards) => new Set(cards.map((c) => /kind-(\w+)/.exec(c.className)[1])).size);
    assert.equal(kinds, 13, "every kind of view is there");
    for (const id of await page.$$eval(".card[data-view]:has(canvas)", (cards) => cards.map((card) => card.dataset.view))) {
      const card = page.locator(`[data-view="${id}"]`);
      assert.ok((await colors(page, `[data-view="${id}"] canvas`)) > 3, `${id} is drawn`);
      await card.locator("summary").click();
      await card.getByRole("button", { name: "As a table" }).click();
      await card.locator("tbody tr").first().waitFor();
    }
    await judge(page, `tables, ${colorScheme}`);
    await page.reload();
    await page.waitForTimeout(400);
    const card = page.locator(".card.main");
    for (const [name, start] of [["SVG", /^<svg/], ["PNG", /^.PNG/], ["CSV", /^#,x,y/]]) {
      await card.locator("header summary").click();
      const [got] = await Promise.all([page.waitForEvent("download"), card.getByRole("button", { name }).click()]);
      assert.match(readFileSync(await got.path(), "latin1"), start, name);
    }
    await judge(page, `every kind of view, ${colorScheme}`);
    await page.screenshot({ path: join(out, `gallery-${colorScheme}.png`), fullPage: true });
    await close(page);
  }
}

async function analyst() {
  for (const [name, options] of Object.entries({ light: {}, dark: { colorScheme: "dark" }, phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true } })) {
    const page = await open(address, options, fake);
    const turn = async (title) => {
      await page.locator(".tabs a", { hasText: title }).click();
      await page.waitForTimeout(350);
    };
    await page.locator(".study table").waitFor();
    await page.locator(".pick").nth(2).click();
    await page.waitForFunction(() => document.querySelectorAll(".study tbody tr")[2].getAttribute("aria-current") === "true");
    await judge(page, `leaderboard, ${name}`);
    await page.screenshot({ path: join(out, `study-leaderboard-${name}.png`) });
    await turn("What if");
    const before = await number(page);
    const grip = page.locator("[data-handle=marker]");
    await grip.focus();
    for (let i = 0; i < 8; i++) await page.keyboard.press("ArrowRight");
    await page.waitForFunction((old) => Number(document.querySelector(".kind-number output").dataset.value) > old, before);
    await page.locator("#control-radius").fill("400");
    await page.locator(".control .refused").waitFor();
    await judge(page, `what if, ${name}`);
    await page.screenshot({ path: join(out, `study-what-if-${name}.png`) });
    await turn("Thresholds");
    await judge(page, `thresholds, ${name}`);
    await page.screenshot({ path: join(out, `study-thresholds-${name}.png`) });
    await turn("Slices");
    assert.match(await page.locator(".closed").textContent(), /novum lab run/);
    await turn("Take away");
    await page.locator(".python code").waitFor();
    await judge(page, `take away, ${name}`);
    assert.match(page.url(), /#\/study\/take-away/);
    await close(page);
  }
}

if (!only.length && options.parts.includes("minute")) {
  await check("the first minute", firstMinute);
  await check("the script prints the number shown", scriptAgrees);
  await check("keyboard only", keyboardOnly);
  await check("address there and back, bad address, no token", roundTrip);
  await check("offline file", offlineFile);
  await check("light, dark, phone, Italian, paper", looks);
  await check("thirteen kinds of views, their tables and files", gallery);
  await check("the analyst's pages", analyst);
}
if (options.parts.includes("looks")) await check("every scene: light, dark, Italian, phone, keyboard, axe", everyLook);
if (options.parts.includes("times")) await check("every scene: first frame, scrubbing", everyTime);
await browser.close();
console.log(wrong.length ? `lab_check: ${wrong.length} findings` : "lab_check: all well");
process.exit(wrong.length ? 1 : 0);
