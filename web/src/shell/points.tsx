// The data of a plane: a preset with its size and noise, or points put by hand or pasted.
import type { JSX } from "preact";
import { useSignal } from "@preact/signals";
import type { PointState } from "../protocol/types";
import { complete, live, round, scene, setPoints } from "../state/store";
import { defaultPoints } from "../state/url";
import { first, say } from "../words/words";
import { classColor } from "../marks/palette";
import { outline } from "../surface/surface";
import { Segments, Slider } from "./controls";
import { addClass } from "./drawn";
import { theme } from "./theme";

/** Rows out of pasted text: two numbers, and a class where the scene has classes; anything else is told apart, not guessed. */
export function pasted(text: string, classes: number, limit: number): { rows: number[][]; left: number } {
  const rows: number[][] = [];
  let left = 0;
  for (const line of text.split(/\r?\n/)) {
    if (!line.trim()) continue;
    const cells = line.trim().split(/[;\t ]+|,(?!\d+(?:[;\t ]|$))|,/).map((cell) => Number(cell.replace(",", ".")));
    const [x, y, k = 0] = cells;
    if (cells.length < 2 || !Number.isFinite(x) || !Number.isFinite(y) || rows.length >= limit) left++;
    else rows.push(classes ? [round(x!), round(y!), Math.max(0, Math.min(classes - 1, Math.round(k) || 0))] : [round(x!), round(y!)]);
  }
  return { rows, left };
}

export function presetWord(preset: string): string {
  return first([`scene.${scene.value?.name}.preset.${preset}`, `shell.preset.${preset}`]);
}

export function choosePreset(i: number): void {
  const points = scene.value?.points;
  const preset = points?.presets[i];
  if (!points || preset === undefined || !live.value) return;
  const now = complete.value.points as PointState;
  setPoints("rows" in now ? { ...defaultPoints(points), preset } : { ...now, preset });
}

export function Points(): JSX.Element | null {
  const points = scene.value?.points;
  const text = useSignal("");
  const told = useSignal("");
  if (!points || points.kind === "picture") return null;
  const now = complete.value.points as PointState;
  const drawn = "rows" in now;
  const usual = defaultPoints(points) as { preset: string; n?: number; noise?: number };
  const set = (part: object): void => setPoints({ ...(drawn ? usual : now), ...part } as PointState);
  const classes = points.kind === "classes" ? points.classes : 0;
  const read = (): void => {
    const { rows, left } = pasted(text.value, classes, points.limit);
    told.value = say("shell.pasted", { n: rows.length, left });
    if (rows.length) setPoints({ rows });
  };
  return (
    <fieldset class="controls points" disabled={!live.value}>
      <legend>{say("shell.data")}</legend>
      <div class="control segments presets">
        <div role="group" aria-label={say("shell.presets")}>
          {points.presets.map((preset, i) => (
            <button type="button" class={!drawn && now.preset === preset ? "chip on" : "chip"} aria-pressed={!drawn && now.preset === preset} onClick={() => choosePreset(i)}>
              {presetWord(preset)}
            </button>
          ))}
        </div>
      </div>
      {drawn ? (
        <p class="row drawn-rows">
          <span>{say("shell.own_points", { n: now.rows.length })}</span>
          <button type="button" class="quiet" onClick={() => setPoints({ rows: [] })}>
            {say("shell.clear")}
          </button>
        </p>
      ) : (
        <>
          <Slider name="n" label={say("shell.n")} range={{ integer: true, ...points.n }} value={now.n ?? points.n.default} set={(n) => set({ n })} />
          {points.noise && <Slider name="noise" label={say("shell.noise")} range={points.noise} value={now.noise ?? points.noise.default} set={(noise) => set({ noise })} />}
        </>
      )}
      {classes > 1 && (
        <div class="classes">
          <Segments
            name="add-class"
            label={say("shell.add_class")}
            choices={Array.from({ length: classes }, (_, k) => k)}
            words={Array.from({ length: classes }, (_, k) => String(k))}
            now={addClass.value}
            set={(k) => (addClass.value = k as number)}
          />
          <svg class="legend" viewBox={`0 0 ${classes * 24} 20`} width={classes * 24} height={20} aria-hidden="true">
            {Array.from({ length: classes }, (_, k) => (
              <path d={outline(k, 12 + k * 24, 10, 6)} fill={classColor(theme.value, k)} />
            ))}
          </svg>
        </div>
      )}
      <details class="paste">
        <summary>{say("shell.paste")}</summary>
        <label for="pasted">{say(classes ? "shell.paste_classes" : "shell.paste_plain")}</label>
        <textarea id="pasted" rows={4} value={text.value} onInput={(event) => (text.value = event.currentTarget.value)} />
        <button type="button" onClick={read} disabled={!text.value.trim()}>
          {say("shell.use_points")}
        </button>
        <p class="note" role="status">
          {told.value}
        </p>
      </details>
    </fieldset>
  );
}
