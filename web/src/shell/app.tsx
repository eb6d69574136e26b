// The whole page.
import { signal } from "@preact/signals";
import type { ComponentType, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { notice, offline, page, scene } from "../state/store";
import { say } from "../words/words";
import { Header, readState } from "./header";
import { followKeys, Help } from "./help";
import { Rail, shown } from "./rail";
import { ScenePage } from "./scene";

const Study = signal<ComponentType | null>(null);

export function App(): JSX.Element {
  useEffect(followKeys, []);
  useEffect(() => {
    const over = (event: DragEvent): void => event.preventDefault();
    const drop = (event: DragEvent): void => {
      event.preventDefault();
      const file = event.dataTransfer?.files[0];
      if (file?.name.endsWith(".json")) void readState(file);
    };
    addEventListener("dragover", over);
    addEventListener("drop", drop);
    return () => (removeEventListener("dragover", over), removeEventListener("drop", drop));
  }, []);
  useEffect(() => {
    document.title = scene.value && page.value === "scene" ? `${say(`scene.${scene.value.name}.title`)} · novum lab` : "novum lab";
  });
  if (page.value === "study" && !Study.value) void import("../analyst/study").then((module) => (Study.value = module.StudyPage));
  const Made = Study.value;
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), document.getElementById("main")?.focus())}>
        {say("shell.skip")}
      </a>
      <Header />
      <div class={offline.value ? "body alone" : "body"}>
        {!offline.value && page.value === "scene" && <Rail />}
        {shown.value && <div class="veil" onClick={() => (shown.value = false)} />}
        {page.value === "study" ? Made ? <Made /> : <main id="main" class="empty" /> : scene.value ? <ScenePage /> : <main id="main" class="empty">{notice.value && <p class="notice" role="alert">{notice.value}</p>}</main>}
      </div>
      <Help />
    </>
  );
}
