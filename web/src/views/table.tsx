// A table of the run; its cells can be edited where a control says so.
import type { JSX } from "preact";
import { context } from "../shell/drawn";
import type { View } from "../protocol/types";
import { say } from "../words/words";
import { control, type Drawer, json, labels, numbers, word } from "./context";

type Cell = string | number | null;

export function Html({ view }: { view: View }): JSX.Element | null {
  const c = context(view);
  if (!c) return null;
  const columns = labels(c, "columns");
  const rows = json<Cell[][]>(c, "rows") ?? [];
  const marked = new Set(Array.from(numbers(c, "marked")));
  const edit = c.live ? control(c, "edit") : undefined;
  const held = edit ? ((c.state[edit.name] as Cell[][] | undefined) ?? []) : [];
  const put = (i: number, j: number, text: string): void => {
    const next = (held.length === rows.length ? held : rows).map((row) => [...row]);
    next[i]![j] = text;
    c.actions.change({ [edit!.name]: next });
  };
  const name = word(c, `view.${view.id}`);
  return (
    <div class="table-holder" tabindex={0} role="region" aria-label={name}>
      <table>
        <thead>
          <tr>
            {columns.map((text) => (
              <th scope="col">{text || <span class="out">{say("shell.row_word")}</span>}</th>
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

export const drawer: Drawer = {
  height: () => 0,
  draw: () => ({}),
  table: (c) => ({ columns: labels(c, "columns"), rows: json<Cell[][]>(c, "rows") ?? [] }),
};
