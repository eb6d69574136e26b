// The number: its formula, its value for reading, and all its digits as the script prints them.
import type { JSX } from "preact";
import { context } from "../shell/drawn";
import type { View } from "../protocol/types";
import { say } from "../words/words";
import { type Drawer, value, word } from "./context";
import { Formula } from "./formula";

export function Html({ view }: { view: View }): JSX.Element | null {
  const c = context(view);
  if (!c) return null;
  const now = value(c, "value");
  const before = c.before ? value(c, "value", c.before) : null;
  const digits = typeof view.digits === "number" ? view.digits : 5;
  return (
    <div class="number">
      {typeof view.formula === "string" && <Formula mathml={view.formula} />}
      <p class="value">
        <output data-value={now === null ? "" : String(now)}>{c.show(now, digits)}</output>
        {before !== null && before !== now && <span class="before">{say("shell.before", { value: c.show(before, digits) })}</span>}
      </p>
      {now !== null && !Number.isInteger(now) && (
        <p class="exact" title={say("shell.exact")}>
          {String(now)}
        </p>
      )}
    </div>
  );
}

export const drawer: Drawer = {
  height: () => 0,
  draw: () => ({}),
  table: (c) => ({
    columns: [c.say("shell.frame_word"), word(c, `value.${String(c.view.value)}`)],
    rows: c.frames.map((f) => [f.n, value(c, "value", f)]),
  }),
};
