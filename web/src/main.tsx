// The page as the server gives it: the recorded run at once, then the catalogue and runs of its own.
import { render } from "preact";
import { ask, Refusal, takeToken } from "./protocol/api";
import { App } from "./shell/app";
import { followTheme } from "./shell/theme";
import type { Recorded } from "./state/frames";
import { adopt, catalogue, fetchCatalogue, followAddress, keep, notice, open, page, recall, run, scene, tell, visit } from "./state/store";
import { effect } from "@preact/signals";
import { lang, LANGS, type Lang, load, say } from "./words/words";
import { bring } from "./views/index";

takeToken();
followTheme();

function wished(): Lang {
  const asked = /[?&]lang=(\w+)/.exec(location.hash)?.[1] ?? recall("novum-lab-lang") ?? navigator.language.slice(0, 2);
  return (LANGS as readonly string[]).includes(asked) ? (asked as Lang) : "en";
}

async function recorded(): Promise<void> {
  const named = /^#\/([\w-]+)/.exec(location.hash)?.[1] ?? "kmeans";
  if (named !== "kmeans" || location.hash.includes("s=")) return;
  const frame = Number(/[?&]f=(\d+)/.exec(location.hash)?.[1] ?? 0);
  try {
    const list = (await (await ask("/recorded/kmeans.json")).json()) as Recorded;
    if (!run.value) adopt(list, frame);
  } catch {
    // nothing recorded: the first live run shows the scene
  }
}

async function start(): Promise<void> {
  void bring("plane");
  const words = load(wished());
  const early = recorded();
  const listed = fetchCatalogue();
  await words;
  effect(() => keep("novum-lab-lang", lang.value));
  await early;
  render(<App />, document.getElementById("app")!);
  try {
    await listed;
  } catch (error) {
    if (!scene.value) notice.value = error instanceof Refusal && (error.status === 401 || error.status === 403) ? say("shell.no_token") : say("shell.no_answer");
    else tell(error);
    return;
  }
  const asked = location.hash;
  const scenes = catalogue.value!.scenes;
  if (!(await visit(location.hash)) && !run.value) {
    const target = scenes.find((s) => s.name === "kmeans") ?? scenes[0];
    if (target) open(target);
  } else if (scene.value) {
    scene.value = scenes.find((s) => s.name === scene.value!.name) ?? scene.value;
  }
  if (asked.startsWith("#/study") || (catalogue.value!.study && asked === "")) page.value = "study";
  followAddress();
}

void start();
