// Every scene as it is seen: light, dark, both languages, a phone, by keyboard alone; axe and looks.mjs judge.
import assert from "node:assert/strict";
import { join } from "node:path";
import { at, catalogue, close, drawn, hash, judge, open, options, out, PHONE, wrong } from "./lab.mjs";
import { findings, keepTexts } from "./looks.mjs";

const LOOKS = {
  light: {},
  "dark, Italian": { colorScheme: "dark", locale: "it-IT" },
  phone: PHONE,
  "phone, dark, Italian": { ...PHONE, colorScheme: "dark", locale: "it-IT" },
};
const QUICK = ["light", "phone, dark, Italian"];
const REST = 250; // milliseconds in which a picture comes to rest after a step

async function seen(page, what) {
  for (const one of await page.evaluate(findings)) wrong.push(`${what}: ${one}`);
}

async function settled(page, name) {
  await page.waitForFunction((h) => location.hash.startsWith(h) && document.querySelector("main.scene"), `#/${name}`);
  await drawn(page);
  await page.waitForFunction(() => !document.querySelector(".working"));
  await page.waitForTimeout(REST);
}

/** The first minute with a keyboard: keys step, Tab leads from the button to a control, and a key changes it. */
async function byKeyboard(page, scene) {
  const frame = () => page.evaluate(() => Number(document.getElementById("scrub")?.value ?? -1));
  const focused = (selector) => page.evaluate((s) => Boolean(document.activeElement?.closest(s)), selector);
  const tab = async (selector, most) => {
    for (let i = 0; i < most; i++) {
      await page.keyboard.press("Tab");
      if (await focused(selector)) return true;
    }
    return false;
  };
  await page.evaluate(() => document.activeElement?.blur());
  const last = await page.evaluate(() => Number(document.getElementById("scrub")?.max ?? -1));
  if (last > 0) {
    await page.keyboard.press("End");
    assert.equal(await frame(), last, "End leads to the last step");
    await page.waitForTimeout(REST);
    await seen(page, `${scene.name}, last step`);
    await page.keyboard.press("Home");
    assert.equal(await frame(), 0, "Home leads to the first");
    await page.keyboard.press("ArrowRight");
    assert.equal(await frame(), 1, "an arrow steps");
  }
  await page.locator(".skip").focus();
  await page.keyboard.press("Enter");
  if (last > 0) {
    assert.ok(await tab("#step", 200), "Tab reaches the button");
    await page.keyboard.press("Enter");
    assert.equal(await frame(), last > 1 ? 2 : 0, "Enter presses it");
  }
  assert.ok(await tab(".settings fieldset", 400), "Tab reaches the controls");
}

async function everyScene(list, look, own) {
  let page = null;
  const since = performance.now();
  for (const scene of list) {
    const what = `${scene.name}, ${look}`;
    try {
      if (!page) page = await open(at(scene.name), own, (made) => made.addInitScript(keepTexts));
      else
        await page.evaluate((next) => {
          performance.clearMeasures("first-frame");
          location.hash = next;
        }, hash(scene.name));
      await settled(page, scene.name);
      assert.equal(await page.evaluate(() => document.documentElement.lang), look.includes("Italian") ? "it" : "en");
      if (await page.evaluate(() => (document.getElementById("scrub")?.max ?? 0) > 0)) await page.keyboard.press("ArrowRight");
      await page.waitForTimeout(REST);
      await seen(page, what);
      await judge(page, what);
      await page.screenshot({ path: join(out, `scene-${scene.name}-${look.replace(/\W+/g, "-")}.png`), fullPage: true });
      if (look === "light") await byKeyboard(page, scene);
    } catch (error) {
      wrong.push(`${what}: ${String(error.message).split("\n").slice(0, 4).join(" | ")}`);
      if (page) await close(page);
      page = null;
    }
  }
  if (page) await close(page);
  console.log(`       ${look}: ${list.length} scenes in ${((performance.now() - since) / 1000).toFixed(0)} s`);
}

export async function everyLook() {
  const list = await catalogue();
  const looks = Object.entries(LOOKS).filter(([look]) => !options.quick || QUICK.includes(look));
  while (looks.length) await Promise.all(looks.splice(0, 2).map(([look, own]) => everyScene(list, look, own)));
}
