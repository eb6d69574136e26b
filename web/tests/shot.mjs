// usage: node shot.mjs URL OUT [light|dark] [WIDTH] [HEIGHT] [script...]   (a picture of a page, for looking at)
import { chromium } from "playwright-core";
const [url, out, scheme = "light", width = "1280", height = "860", ...acts] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: +width, height: +height }, colorScheme: scheme, deviceScaleFactor: +(process.env.SCALE ?? 1), hasTouch: +width < 500 });
page.on("console", (m) => ["error", "warning"].includes(m.type()) && console.log("console:", m.text()));
page.on("pageerror", (e) => console.log("error:", e.message));
await page.goto(url);
await page.waitForTimeout(1500);
for (const act of acts) {
  const [what, ...rest] = act.split("=");
  const arg = rest.join("=");
  if (what === "click") await page.click(arg);
  else if (what === "key") await page.keyboard.press(arg);
  else if (what === "wait") await page.waitForTimeout(+arg);
  else if (what === "shot") await page.screenshot({ path: arg });
  else if (what === "eval") console.log(JSON.stringify(await page.evaluate(arg)));
}
await page.waitForTimeout(400);
await page.screenshot({ path: out, fullPage: process.env.FULL === "1" });
await browser.close();
