// The page of a scene: its question, its picture over the step bar, what can be set, and the other views.
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Scene } from "../protocol/types";
import { at, catalogue, expected, last, live, notice, offline, run, scene, touched } from "../state/store";
import { first, has, say } from "../words/words";
import { Card } from "./card";
import { Controls } from "./controls";
import { Icon } from "./icons";
import { Points } from "./points";
import { fixed, Python } from "./python";
import { Spoken, StepBar } from "./stepbar";

export function ScenePage(): JSX.Element {
  const info = scene.value!;
  const name = info.name;
  useEffect(() => scrollTo(0, 0), [name]);
  const [picture, ...others] = info.views.filter((view) => view.kind !== "number");
  const numbers = info.views.filter((view) => view.kind === "number");
  return (
    <main id="main" class="scene" tabindex={-1} key={name}>
      <div class="title">
        <h1>{say(`scene.${name}.title`)}</h1>
        <p>{say(`scene.${name}.question`)}</p>
        {notice.value && (
          <p class="notice" role="alert">
            {notice.value}
            <button type="button" class="icon-button" aria-label={say("shell.close")} onClick={() => (notice.value = "")}>
              <Icon name="close" />
            </button>
          </p>
        )}
      </div>
      <div class="stage">
        {picture && (
          <Card view={picture} main>
            <Hint />
          </Card>
        )}
        <StepBar />
        <Spoken />
      </div>
      <aside class="side" aria-label={say("shell.controls")}>
        {numbers.length > 0 && (
          <div class="numbers">
            {numbers.map((view) => (
              <Card key={view.id} view={view} />
            ))}
          </div>
        )}
        <div class="card settings">
          {!live.value && offline.value && <p class="note asleep">{say("shell.offline_controls")}</p>}
          <Controls />
          <Points />
        </div>
        {has(`scene.${name}.try`) && (
          <div class="try">
            <h2>{say("shell.try")}</h2>
            <p>{say(`scene.${name}.try`)}</p>
          </div>
        )}
      </aside>
      <div class="views">
        {others.map((view) => (
          <Card key={`${name}.${view.id}`} view={view} />
        ))}
      </div>
      {(!offline.value || fixed.value) && <Python />}
      <Foot />
    </main>
  );
}

function Hint(): JSX.Element | null {
  const info = scene.value!;
  const grips = info.views.some((view) => view.drag || view.editable || view.pointer || view.edit || view.pick || view.draw);
  const key = `scene.${info.name}.hint`;
  if (!live.value || touched.value || !grips || !(has(key) || has("shell.hint"))) return null;
  return (
    <p class="hint">
      <Icon name="hand" />
      {first([key, "shell.hint"])}
    </p>
  );
}

function Foot(): JSX.Element | null {
  const [current, info] = [run.value, scene.value!];
  if (!current) return null;
  const thin = current.end?.kept === "thinned";
  return (
    <footer class="foot">
      <ul>
        {info.rows.map((row) => (
          <li>
            <code>{row.id}</code> {row.title}
          </li>
        ))}
      </ul>
      <Near />
      <p>
        novum {current.head.novum} · <span title="SHA-256">{current.head.digest.slice(0, 12)}</span>
        {thin && ` · ${say("shell.thinned", { n: current.frames.length, of: current.end!.frames })}`}
        {current.end?.stopped === "limit" && ` · ${say("shell.stopped_limit")}`}
      </p>
    </footer>
  );
}

const chapterOf = (id: string): string => id.split("/").slice(0, 2).join("/");

/** Other scenes of the same chapters of the notes: those that share most of them first. */
function Near(): JSX.Element | null {
  const info = scene.value!;
  const own = new Set(info.rows.map((row) => chapterOf(row.id)));
  const shared = (other: Scene): number => new Set(other.rows.map((row) => chapterOf(row.id)).filter((chapter) => own.has(chapter))).size;
  const near = (catalogue.value?.scenes ?? [])
    .filter((other) => other.name !== info.name && shared(other))
    .sort((a, b) => shared(b) - shared(a))
    .slice(0, 8);
  if (!near.length) return null;
  return (
    <nav class="near" aria-label={say("shell.near")}>
      <span>{say("shell.near")}</span>
      {near.map((other) => (
        <a key={other.name} href={`#/${other.name}`}>
          {say(`scene.${other.name}.title`)}
        </a>
      ))}
    </nav>
  );
}

export { at, expected, last };
