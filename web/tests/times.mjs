// The times of every scene at its default and at its limit: from a changed control to the first frame, and while the slider is drawn.
//
// A first frame is measured in the page: from the change (a seed that no recorded run has) to the animation frame that shows it, by the
// clock; beside it stands the processor's time of the server for the run, of which at most two seconds are waited for, and of the page's
// main thread. Scrubbing moves the slider at every animation frame for a second: frames a second by the clock, and the milliseconds of
// the page's main thread for each. On a machine that others load the clock says little, and the processor's time what the lab itself
// costs: a time is too long where the clock says so and the processor agrees.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { at, browser, catalogue, close, drawn, hash, open, options, origin, out, quantile, SEED, slack, threadTime, token, wrong } from "./lab.mjs";

const [SEEDS, SECONDS, EVERY] = options.quick ? [3, 0.5, 4] : [11, 1, 1];
const LONGEST = 2000; // milliseconds of a run that are waited for
const BAR = { median: 100, high: 200, fps: 50, main: 1000 / 50 };

/** Processor milliseconds of a process and of its children, dead threads apart; 0 where the system does not tell. */
function cpu(pid) {
  let ns = 0;
  try {
    for (const task of readdirSync(`/proc/${pid}/task`)) ns += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    for (const child of children ? children.split(" ") : []) ns += 1e6 * cpu(child);
  } catch {
    // the process has ended, or this system has no such files
  }
  return ns / 1e6;
}

/** As many points, and as much of everything that is counted, as the scene takes together; null where that is the default. */
async function limitOf(scene) {
  const points = {};
  if (scene.points) {
    const { presets, n, noise } = scene.points;
    points.points = { preset: presets[0], n: n.max, ...(noise ? { noise: noise.default } : {}) };
  }
  const counts = Object.fromEntries(scene.controls.filter((one) => one.kind === "slider" && one.integer).map((one) => [one.name, one.max]));
  for (const state of [{ ...points, ...counts }, points, counts]) {
    if (Object.keys(state).length && (await taken(scene.name, state))) return state;
  }
  return null;
}

async function taken(scene, state) {
  const headers = { "X-Novum-Token": token, "Content-Type": "application/json" };
  const stop = new AbortController();
  const answer = await fetch(`${origin}/api/run`, { method: "POST", headers, body: JSON.stringify({ v: 1, scene, state }), signal: stop.signal });
  if (!answer.ok) return false;
  const { value } = await answer.body.getReader().read(); // the head, or a refusal
  stop.abort();
  return new TextDecoder().decode(value).startsWith("event: head");
}

/** Wait until a run has come to its end, or for a moment where it is a long one. */
const come = (page) => page.waitForFunction(() => !document.querySelector(".working"), null, { timeout: LONGEST }).catch(() => undefined);

async function firstFrames(page, scene, full) {
  const [times, costs, works] = [[], [], []];
  for (let i = 0; i < SEEDS; i++) {
    const [before, thread] = [cpu(options.server), await threadTime(page)];
    times.push(
      await page.evaluate(async (next) => {
        performance.clearMeasures("first-frame");
        const since = performance.now();
        location.hash = next;
        while (!performance.getEntriesByName("first-frame").length && performance.now() - since < 5000) await new Promise((r) => setTimeout(r, 4));
        return performance.getEntriesByName("first-frame")[0]?.duration ?? 5000;
      }, hash(scene.name, { ...full, seed: SEED + 1 + i })),
    );
    await come(page);
    costs.push(cpu(options.server) - before);
    works.push((await threadTime(page)) - thread);
  }
  return { median: quantile(times, 0.5), high: quantile(times, 0.95), server: quantile(costs, 0.5), work: quantile(works, 0.5) };
}

async function scrubbing(page, seconds) {
  const before = await threadTime(page);
  const shown = await page.evaluate(async (length) => {
    const scrub = document.getElementById("scrub");
    if (!scrub || Number(scrub.max) < 2) return null;
    const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
    const since = performance.now();
    let count = 0;
    while (performance.now() - since < 1000 * length) {
      await new Promise(requestAnimationFrame);
      set.call(scrub, String(count % (Number(scrub.max) + 1)));
      scrub.dispatchEvent(new Event("input", { bubbles: true }));
      count++;
    }
    return { count, fps: (1000 * count) / (performance.now() - since) };
  }, seconds);
  return shown && { fps: shown.fps, main: ((await threadTime(page)) - before) / shown.count };
}

/** Wait, a minute at most, until the server's processes rest: while nothing is asked they import what scenes will need. */
async function warm() {
  for (let i = 0, before = -Infinity; i < 60; i++) {
    const now = cpu(options.server);
    if (now - before < 50) return;
    before = now;
    await new Promise((r) => setTimeout(r, 1000));
  }
}

const shown = (value, digits = 0) => (value === null ? "-" : value.toFixed(digits));
const HEAD = ["scene", "at its", "first frame, median ms", "95 % ms", "server, processor ms a run", "page, processor ms a run", "frames a second", "main thread, ms a frame"];

/** Write the table so far. */
function keep(table) {
  const rows = table.map((row) => [row.scene, row.where, ...[row.median, row.high, row.server, row.work, row.fps].map((value) => shown(value)), shown(row.main, 1)]);
  const lines = [HEAD, HEAD.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`);
  writeFileSync(join(out, "times.md"), `Chromium ${browser.version()}, ${SEEDS} seeds, load ${options.load.toFixed(1)} a core; limits ${slack} times the bar.\n\n${lines.join("\n")}\n`);
  writeFileSync(join(out, "times.json"), JSON.stringify(table, null, 1));
}

/** What is too long of a row: where the clock says so and the processor agrees. */
function tooLong({ scene, where, median, high, server, work, fps, main }) {
  const found = [];
  if ((median > BAR.median * slack || high > BAR.high * slack) && server + work > BAR.median) found.push(`first frame ${shown(median)} ms in the median, ${shown(high)} ms at 95 %`);
  if (fps !== null && fps < BAR.fps / slack && main > BAR.main) found.push(`${shown(fps)} frames a second, ${shown(main)} ms of the page's thread each`);
  return found.map((what) => `${scene} at its ${where}: ${what}`);
}

async function timed(scene, where, full) {
  const page = await open(at(scene.name, { ...full, seed: SEED }));
  try {
    await drawn(page);
    await come(page);
    const first = await firstFrames(page, scene, full);
    const scrub = await scrubbing(page, SECONDS);
    return { scene: scene.name, where, ...first, fps: scrub?.fps ?? null, main: scrub?.main ?? null };
  } catch (error) {
    wrong.push(`${scene.name} (${where}): ${String(error.message).split("\n")[0]}`);
    return null;
  } finally {
    await close(page);
  }
}

export async function everyTime() {
  await warm();
  const table = [];
  const within = (row) => row.median <= BAR.median && row.high <= BAR.high && (row.fps === null || row.fps >= BAR.fps);
  for (const scene of (await catalogue()).filter((_, k) => k % EVERY === 0)) {
    for (const [where, full] of Object.entries({ default: {}, limit: await limitOf(scene) })) {
      const row = full && (await timed(scene, where, full));
      if (!row) continue;
      table.push(row);
      keep(table);
      if (!within(row)) console.log(`       ${row.scene.padEnd(20)} ${where.padEnd(8)} first frame ${shown(row.median)}/${shown(row.high)} ms, server ${shown(row.server)} ms, page ${shown(row.work)} ms; ${shown(row.fps)} frames a second, ${shown(row.main, 1)} ms of the main thread each`);
    }
  }
  console.log(`       ${table.filter(within).length} of ${table.length} within the bar (${BAR.median}/${BAR.high} ms, ${BAR.fps} frames a second); all in ${join(out, "times.md")}`);
  assert.deepEqual(table.flatMap(tooLong), [], `scenes within ${slack} times the bar`);
}
