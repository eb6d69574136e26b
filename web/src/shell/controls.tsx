// The controls of a scene, made from its catalogue entry.
import { createContext, type JSX } from "preact";
import { useContext, useState } from "preact/hooks";
import type { Control, State } from "../protocol/types";
import { change, complete, live, refused, reset, difference, scene } from "../state/store";
import { same } from "../state/url";
import { first, has, say, show } from "../words/words";
import { Icon } from "./icons";

/** What controls need to know of their page. */
export interface Desk {
  readonly controls: Control[];
  readonly state: State;
  readonly live: boolean;
  readonly wrong: string | null;
  change(values: State): void;
  label(control: Control): string;
  choice(control: Control, choice: unknown): string;
}

const sceneDesk: Desk = {
  get controls() {
    return (scene.value?.controls ?? []).filter((control) => !control.drag && !elsewhere(control));
  },
  get state() {
    return complete.value;
  },
  get live() {
    return live.value;
  },
  get wrong() {
    return refused.value?.control ?? null;
  },
  change,
  label({ name, title }) {
    const key = `scene.${scene.value?.name}.control.${name}`;
    return title ?? (name === "seed" && !has(key) ? say("shell.seed") : say(key));
  },
  choice: (control, choice) => control.choice_titles?.[control.choices?.indexOf(choice as string) ?? -1] ?? first([`scene.${scene.value?.name}.choice.${control.name}.${choice}`, `.${choice}`]),
};

export const DeskOf = createContext<Desk>(sceneDesk);

export function Controls(): JSX.Element {
  const placed = scene.value?.controls.filter((control) => control.drag && !same(complete.value[control.name], control.default)) ?? [];
  return (
    <fieldset class="controls" disabled={!live.value}>
      <legend class="out">{say("shell.controls")}</legend>
      <List />
      {(placed.length > 0 || Object.keys(difference.value).length > 0) && (
        <p class="row">
          {placed.map((control) => (
            <button type="button" class="quiet" onClick={() => change({ [control.name]: control.default })}>
              <Icon name="undo" />
              {say("shell.reset_control", { control: sceneDesk.label(control) })}
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

/** The controls of a desk, those left out that mean nothing now. */
export function List(): JSX.Element {
  const desk = useContext(DeskOf);
  const hidden = (control: Control): boolean =>
    Object.entries(control.hidden_when ?? {}).some(([name, value]) => (Array.isArray(value) ? value : [value]).some((v) => same(v, desk.state[name])));
  return (
    <>
      {desk.controls.filter((control) => !hidden(control)).map((control) => (
        <One key={`${scene.value?.name}.${control.name}`} control={control} />
      ))}
    </>
  );
}

/** Pictures are where graphs and drawings are edited, not the list of controls. */
function elsewhere(control: Control): boolean {
  return scene.value!.views.some((view) => view.draw === control.name || view.pointer === control.name || (control.kind === "graph" && view.edit === control.name) || ((control.kind === "table" || control.kind === "graph" || control.kind === "matrix") && (view.edit === control.name || view.pick === control.name)));
}

function One({ control }: { control: Control }): JSX.Element {
  const desk = useContext(DeskOf);
  const now = desk.state[control.name];
  const set = (value: unknown): void => desk.change({ [control.name]: value });
  const id = `control-${control.name}`;
  const wrong = desk.wrong === control.name;
  const shared = { id, "aria-invalid": wrong ? ("true" as const) : undefined, "aria-describedby": wrong ? "refused" : undefined };
  switch (control.kind) {
    case "slider":
      return <Slider name={control.name} label={desk.label(control)} range={control as never} value={Number(now)} set={set} {...(control.warn ? { warn: control.warn } : {})} />;
    case "choice":
      return <Choice control={control} now={now} set={set} />;
    case "toggle":
      return (
        <div class="control toggle">
          <label for={id}>{desk.label(control)}</label>
          <input {...shared} type="checkbox" role="switch" checked={Boolean(now)} onChange={(event) => set(event.currentTarget.checked)} />
        </div>
      );
    case "number":
      return (
        <div class="control inline">
          <label for={id}>{desk.label(control)}</label>
          <NumberBox {...shared} value={Number(now)} min={control.min ?? -Infinity} max={control.max ?? Infinity} integer={control.integer ?? false} set={set} />
          {control.name === "seed" && (
            <button type="button" class="quiet dice" title={say("shell.other_seed")} onClick={() => set((Number(now) + 1) % 2147483647)}>
              +1<span class="out"> {say("shell.other_seed")}</span>
            </button>
          )}
        </div>
      );
    case "text":
      return (
        <div class="control">
          <label for={id}>{desk.label(control)}</label>
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
  const desk = useContext(DeskOf);
  const choices = control.choices ?? [];
  const words = choices.map((choice) => desk.choice(control, choice));
  if (choices.length > 4 || words.join("").length > 30) {
    return (
      <div class="control inline">
        <label for={`control-${control.name}`}>{desk.label(control)}</label>
        <select id={`control-${control.name}`} onChange={(event) => set(choices[event.currentTarget.selectedIndex])}>
          {choices.map((choice, i) => (
            <option selected={same(choice, now)}>{words[i]}</option>
          ))}
        </select>
      </div>
    );
  }
  return <Segments name={control.name} label={desk.label(control)} choices={choices} words={words} now={now} set={set} />;
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

export function Slider({ name, label, range, value, set, warn }: { name: string; label: string; range: Range; value: number; set(value: number): void; warn?: [number, number] }): JSX.Element {
  const fine = range.integer && !range.log && range.max - range.min <= STEPS;
  const id = `control-${name}`;
  const wrong = useContext(DeskOf).wrong === name;
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
      {warn && (value < warn[0] || value > warn[1]) && <p class="refused">{say("analyst.outside")}</p>}
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
  const desk = useContext(DeskOf);
  const rows = now ?? [];
  if (!rows.length) return null;
  return (
    <fieldset class="control matrix">
      <legend>{desk.label(control)}</legend>
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
                    aria-label={say("shell.cell", { control: desk.label(control), row: i + 1, column: j + 1 })}
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
  const desk = useContext(DeskOf);
  if (!Array.isArray(now)) return null;
  const columns = control.columns ?? [];
  return (
    <details class="control cells">
      <summary>{desk.label(control)}</summary>
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
