// A table of the run; its cells can be edited where a control says so.
import type { JSX } from "preact";
import { useContext } from "preact/hooks";
import { Source } from "../shell/drawn";
import type { View } from "../protocol/types";
import { say } from "../words/words";
import { type Context, control, type Drawer, json, labels, numbers, spoken, word } from "./context";

type Cell = string | number | null;

const cells = (c: Context): Cell[][] => (json<Cell[][]>(c, "rows") ?? []).map((row) => row.map((cell) => spoken(c, cell)));

function Html({ view }: { view: View }): JSX.Element | null {
  const c = useContext(Source).context(view);
  if (!c) return null;
  const columns = labels(c, "columns");
  const rows = cells(c);
  const marked = new Set(Array.from(numbers(c, "marked")));
  const edit = c.live ? control(c, "edit") : undefined;
  const held = edit ? ((c.state[edit.name] as Cell[][] | undefined) ?? []) : [];
  const put = (i: number, j: number, text: string): void => {
    const next = (held.length === rows.length ? held : rows).map((row) => [...row]);
    next[i]![j] = text;
    c.actions.dragged();
    c.actions.change({ [edit!.name]: next });
  };
  const name = view.title ?? word(c, `view.${view.id}`);
  const pick = c.live ? picker(c) : null;
  return (
    <div class="table-holder" tabindex={0} role="group" aria-label={name}>
      <table>
        <thead>
          <tr>
            {columns.map((text, j) => (
              <th scope="col" class={typeof rows[0]?.[j] === "number" ? "figure" : ""}>{text || <span class="out">{say("shell.row_word")}</span>}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr class={marked.has(i) ? "marked" : ""} aria-current={marked.has(i) ? "true" : undefined}>
              {row.map((cell, j) => (
                <td class={typeof cell === "number" ? "figure" : ""}>
                  {edit && held[i]?.[j] !== undefined ? (
                    <input aria-label={`${columns[j]} ${i + 1}`} value={String(cell ?? "")} onChange={(event) => put(i, j, event.currentTarget.value)} />
                  ) : pick && j === 0 ? (
                    <button type="button" class="pick" title={say("analyst.pick", { row: i + 1 })} onClick={() => pick(i)}>
                      {typeof cell === "number" ? c.show(cell, 5) : (cell ?? "–")}
                    </button>
                  ) : typeof cell === "number" ? (
                    c.show(cell, 5)
                  ) : (
                    (cell ?? "–")
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What a press on a row sets: one control, or two in turn. */
function picker(c: Context): ((row: number) => void) | null {
  const pair = c.view.pick_pair as [string, string] | undefined;
  const names = pair ?? (typeof c.view.pick === "string" ? [c.view.pick] : []);
  const controls = names.map((name) => c.scene.controls.find((found) => found.name === name));
  if (!controls.length || controls.includes(undefined)) return null;
  const picked = json<unknown[]>(c, "picked");
  return (row) => {
    if (picked) return c.actions.change({ [names[0]!]: picked[row] });
    const turn = controls.length === 2 ? c.actions.cursor.value++ % 2 : 0;
    const { name, kind, choices } = controls[turn]!;
    c.actions.change({ [name]: kind === "choice" ? choices?.[row] : row });
  };
}

export const drawer: Drawer = {
  Html,
  height: () => 0,
  draw: () => ({}),
  table: (c) => ({ columns: labels(c, "columns"), rows: cells(c) }),
};
