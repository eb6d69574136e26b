// The controls of a scene, made from its catalogue entry.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Control } from "../protocol/types";
import { change, complete, live, refused, reset, difference, scene } from "../state/store";
import { same } from "../state/url";
import { first, has, say, show } from "../words/words";
import { Icon } from "./icons";

export const label = (name: string): string => (name === "seed" && !has(`scene.${scene.value?.name}.control.seed`) ? say("shell.seed") : say(`scene.${scene.value?.name}.control.${name}`));
const choiceWord = (control: Control, choice: unknown): string => first([`scene.${scene.value?.name}.choice.${control.name}.${choice}`, `.${choice}`]);

export function Controls(): JSX.Element {
  const controls = (scene.value?.controls ?? []).filter((control) => !hidden(control) && !control.drag && !elsewhere(control));
  const placed = scene.value?.controls.filter((control) => control.drag && !same(complete.value[control.name], control.default)) ?? [];
  return (
    <fieldset class="controls" disabled={!live.value}>
      <legend class="out">{say("shell.controls")}</legend>
      {controls.map((control) => (
        <One key={`${scene.value?.name}.${control.name}`} control={control} />
      ))}
      {(placed.length > 0 || Object.keys(difference.value).length > 0) && (
        <p class="row">
          {placed.map((control) => (
            <button type="button" class="quiet" onClick={() => change({ [control.name]: control.default })}>
              <Icon name="undo" />
              {say("shell.reset_control", { control: label(control.name) })}
            </button>
          ))}
          {Object.keys(difference.value).length > placed.length && (
            <button type="button" class="quiet" onClick={reset}>
              <Icon name="undo" />
              {say("shell.reset")}
            </button>
          )}
        </p>
      )}
    </fieldset>
  );
}

function hidden(control: Control): boolean {
  return Object.entries(control.hidden_when ?? {}).some(([name, value]) => {
    const now = complete.value[name];
    return Array.isArray(value) ? value.some((v) => same(v, now)) : same(value, now);
  });
}

/** Pictures are where graphs and drawings are edited, not the list of controls. */
function elsewhere(control: Control): boolean {
  return scene.value!.views.some((view) => view.draw === control.name || view.pointer === control.name || (control.kind === "graph" && view.edit === control.name) || ((control.kind === "table" || control.kind === "graph" || control.kind === "matrix") && (view.edit === control.name || view.pick === control.name)));
}

function One({ control }: { control: Control }): JSX.Element {
  const now = complete.value[control.name];
  const set = (value: unknown): void => change({ [control.name]: value });
  const id = `control-${control.name}`;
  const wrong = refused.value?.control === control.name;
  const shared = { id, "aria-invalid": wrong ? ("true" as const) : undefined, "aria-describedby": wrong ? "refused" : undefined };
  switch (control.kind) {
    case "slider":
      return <Slider name={control.name} label={label(control.name)} range={control as never} value={Number(now)} set={set} />;
    case "choice":
      return <Choice control={control} now={now} set={set} />;
    case "toggle":
      return (
        <div class="control toggle">
          <label for={id}>{label(control.name)}</label>
          <input {...shared} type="checkbox" role="switch" checked={Boolean(now)} onChange={(event) => set(event.currentTarget.checked)} />
        </div>
      );
    case "number":
      return (
        <div class="control inline">
          <label for={id}>{label(control.name)}</label>
          <NumberBox {...shared} value={Number(now)} min={control.min ?? -Infinity} max={control.max ?? Infinity} integer={control.integer ?? false} set={set} />
          {control.name === "seed" && (
            <button type="button" class="quiet dice" aria-label={say("shell.other_seed")} title={say("shell.other_seed")} onClick={() => set((Number(now) + 1) % 2147483647)}>
              +1
            </button>
          )}
        </div>
      );
    case "text":
      return (
        <div class="control">
          <label for={id}>{label(control.name)}</label>
          <input {...shared} type="text" maxLength={control.max_length ?? 200} value={String(now ?? "")} onInput={(event) => set(event.currentTarget.value)} />
        </div>
      );
    case "matrix":
      return <Matrix control={control} now={now as number[][] | null} set={set} />;
    default:
      return <Cells control={control} now={now as string[][] | null} set={set} />;
  }
}

function Choice({ control, now, set }: { control: Control; now: unknown; set(value: unknown): void }): JSX.Element {
  const choices = control.choices ?? [];
  const words = choices.map((choice) => choiceWord(control, choice));
  if (choices.length > 4 || words.join("").length > 30) {
    return (
      <div class="control inline">
        <label for={`control-${control.name}`}>{label(control.name)}</label>
        <select id={`control-${control.name}`} onChange={(event) => set(choices[event.currentTarget.selectedIndex])}>
          {choices.map((choice, i) => (
            <option selected={same(choice, now)}>{words[i]}</option>
          ))}
        </select>
      </div>
    );
  }
  return <Segments name={control.name} label={label(control.name)} choices={choices} words={words} now={now} set={set} />;
}

export function Segments({ name, label, choices, words, now, set }: { name: string; label: string; choices: unknown[]; words: string[]; now: unknown; set(value: unknown): void }): JSX.Element {
  return (
    <fieldset class="control segments">
      <legend>{label}</legend>
      <div>
        {choices.map((choice, i) => (
          <label class={same(choice, now) ? "on" : ""}>
            <input type="radio" name={`choice-${name}`} checked={same(choice, now)} onChange={() => set(choice)} />
            <span>{words[i]}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface Range {
  min: number;
  max: number;
  step?: number;
  log?: boolean;
  integer?: boolean;
}

const STEPS = 400;

export function toSlider(range: Range, value: number): number {
  const share = range.log ? Math.log(value / range.min) / Math.log(range.max / range.min) : (value - range.min) / (range.max - range.min);
  return Math.round(Math.max(0, Math.min(1, share)) * STEPS);
}

/** The value a slider stands for: whole or in steps where the control says so, else with three significant digits. */
export function fromSlider(range: Range, at: number): number {
  if (at <= 0) return range.min;
  if (at >= STEPS) return range.max;
  const share = at / STEPS;
  const raw = range.log ? range.min * (range.max / range.min) ** share : range.min + share * (range.max - range.min);
  const step = range.integer ? (range.step ?? 1) : range.step;
  const value = step && !range.log ? range.min + Math.round((raw - range.min) / step) * step : range.integer ? Math.round(raw) : raw;
  return range.integer ? Math.round(value) : Number(value.toPrecision(step ? 10 : 3));
}

export function Slider({ name, label, range, value, set }: { name: string; label: string; range: Range; value: number; set(value: number): void }): JSX.Element {
  const fine = range.integer && !range.log && range.max - range.min <= STEPS;
  const id = `control-${name}`;
  const wrong = refused.value?.control === name;
  return (
    <div class="control">
      <label for={id}>{label}</label>
      <NumberBox id={`${id}-box`} aria-label={label} value={value} min={range.min} max={range.max} integer={range.integer ?? false} set={set} />
      <input
        id={id}
        type="range"
        min={fine ? range.min : 0}
        max={fine ? range.max : STEPS}
        step={fine ? (range.step ?? 1) : 1}
        value={fine ? value : toSlider(range, value)}
        aria-valuetext={show(value)}
        aria-invalid={wrong ? "true" : undefined}
        onInput={(event) => set(fine ? Number(event.currentTarget.value) : fromSlider(range, Number(event.currentTarget.value)))}
      />
    </div>
  );
}

function NumberBox({ value, min, max, integer, set, ...rest }: { value: number; min: number; max: number; integer: boolean; set(value: number): void; id?: string; "aria-label"?: string; "aria-invalid"?: "true" | undefined; "aria-describedby"?: string | undefined }): JSX.Element {
  const [text, type] = useState<string | null>(null);
  const take = (raw: string): void => {
    const made = Number(raw.replace(",", "."));
    type(null);
    if (raw.trim() === "" || !Number.isFinite(made)) return;
    const bounded = Math.max(min, Math.min(max, integer ? Math.round(made) : made));
    if (bounded !== value) set(bounded);
  };
  return (
    <input
      {...rest}
      class="box"
      type="text"
      inputMode={integer ? "numeric" : "decimal"}
      value={text ?? String(value)}
      onInput={(event) => type(event.currentTarget.value)}
      onChange={(event) => take(event.currentTarget.value)}
      onKeyDown={(event) => event.key === "Escape" && type(null)}
    />
  );
}

function Matrix({ control, now, set }: { control: Control; now: number[][] | null; set(value: unknown): void }): JSX.Element | null {
  const rows = now ?? [];
  if (!rows.length) return null;
  return (
    <fieldset class="control matrix">
      <legend>{label(control.name)}</legend>
      <table>
        {control.labels && control.labels.length === rows[0]!.length && (
          <thead>
            <tr>
              {control.labels.map((text) => (
                <th scope="col">{text}</th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((row, i) => (
            <tr>
              {row.map((value, j) => (
                <td>
                  <NumberBox
                    aria-label={say("shell.cell", { control: label(control.name), row: i + 1, column: j + 1 })}
                    value={value}
                    min={control.min ?? -Infinity}
                    max={control.max ?? Infinity}
                    integer={control.integer ?? false}
                    set={(v) => set(rows.map((r, a) => r.map((old, b) => (a === i && b === j ? v : old))))}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </fieldset>
  );
}

function Cells({ control, now, set }: { control: Control; now: string[][] | null; set(value: unknown): void }): JSX.Element | null {
  if (!Array.isArray(now)) return null;
  const columns = control.columns ?? [];
  return (
    <details class="control cells">
      <summary>{label(control.name)}</summary>
      <div class="table-holder">
        <table>
          <thead>
            <tr>
              {columns.map((text) => (
                <th scope="col">{text}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {now.map((row, i) => (
              <tr>
                {row.map((text, j) => (
                  <td>
                    <input
                      aria-label={say("shell.cell", { control: columns[j] ?? "", row: i + 1, column: j + 1 })}
                      value={text}
                      onChange={(event) => set(now.map((r, a) => r.map((old, b) => (a === i && b === j ? event.currentTarget.value : old))))}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
