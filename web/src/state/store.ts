// The state of the page: which scene, with which controls, at which frame; and the run that answers to it.
import { batch, computed, effect, signal } from "@preact/signals";
import { ask, askJson, Refusal } from "../protocol/api";
import { events } from "../protocol/stream";
import type { Catalogue, PointState, Scene, State } from "../protocol/types";
import { lang, LANGS, load, say, type Lang } from "../words/words";
import { append, begin, expected, type Frame, type Recorded, replay, type Run } from "./frames";
import { defaults, known, LONGEST_LINK, read, same, write } from "./url";

export const catalogue = signal<Catalogue | null>(null);
export const scene = signal<Scene | null>(null);
export const difference = signal<State>({});
export const complete = computed<State>(() => ({ ...(scene.value ? defaults(scene.value) : {}), ...difference.value }));

const holder: { run: Run | null } = { run: null };
const version = signal(0);
/** The run on show. It grows in place; every event moves a version, which this follows. */
export const run = computed(() => (version.value, holder.run ? { ...holder.run } : null));
export const at = signal(0);
export const mix = signal(1);
export const playing = signal(false);
export const waiting = signal(false);
export const refused = signal<{ sentence: string; control: string | null } | null>(null);
export const notice = signal("");
export const hover = signal<{ set: string; index: number } | null>(null);
export const offline = signal(false);
export const page = signal<"scene" | "study">("scene");
export const touched = signal(recall("novum-lab-dragged") === "yes");
export const live = computed(() => !offline.value && catalogue.value !== null);

export const frame = computed<Frame | null>(() => run.value?.frames[Math.min(at.value, run.value.frames.length - 1)] ?? null);
export const last = computed(() => Math.max(0, (run.value?.frames.length ?? 1) - 1));

export function recall(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function keep(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // a browser that keeps nothing
  }
}

const calm = typeof matchMedia === "function" ? matchMedia("(prefers-reduced-motion: reduce)") : { matches: true };
const GLIDE = 220;
let gliding = 0;

/** Show frame `n`; a single step forward glides there, positions only. */
export function go(n: number, glide = false): void {
  const target = Math.max(0, Math.min(n, last.value));
  cancelAnimationFrame(gliding);
  if (!glide || calm.matches || target !== at.value + 1) {
    batch(() => ((at.value = target), (mix.value = 1)));
    return;
  }
  batch(() => ((at.value = target), (mix.value = 0)));
  const start = performance.now();
  const tick = (now: number): void => {
    const t = Math.max(0, Math.min(1, (now - start) / GLIDE));
    mix.value = t < 1 ? 1 - (1 - t) ** 3 : 1;
    if (t < 1) gliding = requestAnimationFrame(tick);
  };
  gliding = requestAnimationFrame(tick);
}

export function step(by = 1): void {
  playing.value = false;
  go(at.value + by, by === 1);
}

export function play(on = !playing.value): void {
  if (on && at.value >= last.value) go(0);
  playing.value = on && last.value > 0;
}

effect(() => {
  if (!playing.value) return;
  const pause = Math.max(40, Math.min(750, 14000 / (last.value + 1)));
  const timer = setInterval(() => {
    if (at.peek() < last.peek()) go(at.peek() + 1, pause > 300);
    else if (holder.run?.end || holder.run?.refused) playing.value = false;
  }, pause);
  return () => clearInterval(timer);
});

// One run per animation frame, and never a second one before the first has shown something (or let 250 ms pass).
const PATIENCE = 250;
let wanted = false;
let asked = false;
let current: { stop: AbortController; since: number; shown: boolean } | null = null;

export function rerun(): void {
  if (offline.value) return;
  wanted = true;
  if (!asked) {
    asked = true;
    requestAnimationFrame(launch);
  }
}

function launch(): void {
  asked = false;
  if (!wanted || !scene.value) return;
  if (current && !current.shown && performance.now() - current.since < PATIENCE) {
    asked = true;
    requestAnimationFrame(launch);
    return;
  }
  wanted = false;
  current?.stop.abort();
  const mine = { stop: new AbortController(), since: performance.now(), shown: false };
  current = mine;
  waiting.value = true;
  void follow(scene.value, difference.value, mine);
}

async function follow(target: Scene, state: State, mine: NonNullable<typeof current>): Promise<void> {
  let made: Run | null = null;
  const goal = at.value;
  try {
    const answer = await ask("/api/run", { v: 1, scene: target.name, state }, mine.stop.signal);
    for await (const { event, data } of events(answer.body!)) {
      if (mine.stop.signal.aborted) return;
      if (event === "head") made = begin(data);
      else if (event === "frame" && made) {
        append(made, data);
        if (!mine.shown) reveal(made, mine, goal);
        else grow(goal);
      } else if (event === "end" && made) {
        made.end = data;
        version.value++;
      } else if (event === "refused") {
        refused.value = data;
      }
    }
  } catch (error) {
    if (mine.stop.signal.aborted) return;
    tell(error);
  } finally {
    if (current === mine) {
      mine.shown = true;
      waiting.value = false;
    }
  }
}

function reveal(made: Run, mine: NonNullable<typeof current>, goal: number): void {
  mine.shown = true;
  batch(() => {
    holder.run = made;
    version.value++;
    refused.value = null;
    at.value = Math.min(goal, made.frames.length - 1);
    mix.value = 1;
    waiting.value = false;
  });
  const since = mine.since;
  requestAnimationFrame(() => performance.measure("first-frame", { start: since, end: performance.now() }));
}

let growing = false;
let goalFrame = 0;
function grow(goal: number): void {
  goalFrame = goal;
  if (growing) return;
  growing = true;
  requestAnimationFrame(() => {
    growing = false;
    batch(() => {
      version.value++;
      if (at.value < goalFrame && !playing.value && holder.run) at.value = Math.min(goalFrame, holder.run.frames.length - 1);
    });
    if (at.value >= goalFrame) goalFrame = 0;
  });
}

export function tell(error: unknown): void {
  if (error instanceof Refusal) refused.value = { sentence: error.status === 401 || error.status === 403 ? say("shell.no_token") : error.sentence, control: error.control };
  else refused.value = { sentence: say("shell.no_answer"), control: null };
}

/** Change controls; several at once make one run. */
export function change(values: State): void {
  if (!scene.value) return;
  const usual = defaults(scene.value);
  const next = { ...difference.value };
  // a matrix with a row for each of `k` things begins anew when k changes
  for (const control of scene.value.controls)
    if (typeof control.rows === "string" && control.rows in values && !(control.name in values)) delete next[control.name];
  for (const [name, value] of Object.entries(values)) {
    if (same(value, usual[name])) delete next[name];
    else next[name] = value;
  }
  difference.value = next;
  rerun();
}

export const round = (value: number): number => Math.round(value * 1000) / 1000 + 0;

export function setPoints(points: PointState): void {
  change({ points });
}

export function dragged(): void {
  if (!touched.value) {
    touched.value = true;
    keep("novum-lab-dragged", "yes");
  }
}

export function reset(): void {
  difference.value = {};
  go(0);
  rerun();
}

export function open(target: Scene, state: State = {}, n = 0): void {
  batch(() => {
    scene.value = target;
    difference.value = state;
    holder.run = null;
    version.value++;
    at.value = n;
    playing.value = false;
    refused.value = null;
    notice.value = "";
    page.value = "scene";
  });
  if (goesLive()) rerun();
}

const goesLive = (): boolean => catalogue.value !== null && !offline.value;

export function adopt(list: Recorded, n = 0): void {
  const made = replay(list);
  const info = made.head.scene_info;
  batch(() => {
    if (info) {
      scene.value = info;
      const usual = defaults(info);
      difference.value = Object.fromEntries(Object.entries(made.head.state ?? {}).filter(([name, value]) => name in usual && !same(value, usual[name])));
    }
    holder.run = made;
    version.value++;
    at.value = Math.min(n, made.frames.length - 1);
  });
}

/** Go where the address says; the sentence of what could not be read stands in `notice`. */
export async function visit(hash: string): Promise<boolean> {
  const list = catalogue.value?.scenes ?? [];
  if (hash.startsWith("#/study")) return false;
  let place;
  try {
    place = await read(hash);
  } catch {
    const name = /^#\/([\w-]+)/.exec(hash)?.[1];
    const target = list.find((s) => s.name === name);
    if (target) open(target);
    notice.value = say("shell.bad_link");
    return target !== undefined;
  }
  if (!place) return false;
  if (place.lang && (LANGS as readonly string[]).includes(place.lang) && place.lang !== lang.value) await load(place.lang as Lang);
  const target = list.find((s) => s.name === place.scene);
  if (!target) {
    notice.value = say("shell.no_scene", { name: place.scene });
    return false;
  }
  const { state, unknown } = known(target, place.difference);
  const here = scene.value?.name === target.name && same(state, difference.value);
  if (here && holder.run) go(place.frame ?? at.value);
  else open(target, state, place.frame ?? 0);
  if (unknown.length) notice.value = say("shell.unknown_keys", { keys: unknown.join(", ") });
  return true;
}

export async function link(): Promise<string> {
  if (!scene.value) return location.hash;
  return write({ scene: scene.value.name, difference: difference.value, frame: at.value, lang: lang.value === "en" ? null : lang.value });
}

let written = "";
let timer = 0;
/** Keep the address in step with the state, a third of a second behind. */
export function followAddress(): void {
  effect(() => {
    void [scene.value, difference.value, at.value, lang.value, page.value];
    clearTimeout(timer);
    timer = window.setTimeout(async () => {
      if (page.value === "study") return;
      const next = await link();
      if (next.length > LONGEST_LINK || next === written) return;
      // a link was followed meanwhile, and its event is on the way: written over now, it would lead nowhere
      if (written && location.hash !== written) return;
      const moved = written.split("?")[0] !== next.split("?")[0] && written !== "";
      written = next;
      if (location.hash !== next) history[moved ? "pushState" : "replaceState"](null, "", next);
    }, 300);
  });
  addEventListener("hashchange", () => {
    if (location.hash !== written) {
      written = location.hash;
      void visit(location.hash);
    }
  });
}

export async function fetchCatalogue(): Promise<void> {
  catalogue.value = await askJson<Catalogue>("/api/scenes");
}

export { expected };
