// A trellis: one column per observation, one row per state; areas are the numbers, lines the pointers back.
import { classColor } from "../marks/palette";
import { extent } from "../marks/axes";
import { clamp, type Context, control, type Drawer, type Handle, json, labels, matrix, numbers, value } from "./context";

interface Layout {
  left: number;
  room: number;
  row: number;
  top: number;
}

function layout(c: Context, width: number, height: number): Layout {
  const [T, K] = [matrix(c, "values").length, matrix(c, "values")[0]?.length ?? 1];
  const words = labels(c, "states");
  const left = clamp(Math.max(1, ...words.map((w) => w.length)) * 6.6 + 16, 30, width * 0.3);
  return { left, room: (width - left - 14) / Math.max(1, T), row: (height - 44) / Math.max(1, K), top: 10 };
}

export const drawer: Drawer = {
  height: (c, _, main) => Math.round(clamp((matrix(c, "values")[0]?.length ?? 2) * 62 + 44, 150, main ? 460 : 320)),
  draw(s, c) {
    const values = matrix(c, "values");
    const [T, K] = [values.length, values[0]?.length ?? 0];
    const { left, room, row, top } = layout(c, s.width, s.height);
    const x = (t: number): number => left + room * (t + 0.5);
    const y = (k: number): number => top + row * (k + 0.5);
    const upto = value(c, "upto") ?? T - 1;
    const [low, high] = extent(values);
    const logs = low < 0;
    const path = numbers(c, "path");
    const biggest = Math.min(room * 0.46, row * 0.42, 26);
    for (const [t, i, j] of json<[number, number, number][]>(c, "pointers") ?? []) {
      if (t > upto || t < 1) continue;
      s.path(`M${x(t - 1)},${y(i)}L${x(t)},${y(j)}`, { stroke: c.theme.soft, width: 1.25, alpha: 0.55 });
    }
    if (path.length) {
      const last = Math.min(path.length, upto + 1);
      const steps = Array.from({ length: last }, (_, t) => t);
      s.polyline(steps.map(x), steps.map((t) => y(path[t]!)), { stroke: c.theme.accent, width: 3.5 });
    }
    values.forEach((column, t) => {
      // logarithms are drawn against the best of their column: what is equal in area is equal in odds
      const best = logs ? Math.max(...column.filter(Number.isFinite)) : high || 1;
      column.forEach((v, k) => {
        const share = !Number.isFinite(v) ? 0 : logs ? Math.exp(v - best) : clamp(v / best, 0, 1);
        const shown = t <= upto;
        s.circle(x(t), y(k), biggest, { stroke: c.theme.line, width: 1, fill: c.theme.ground });
        if (shown) s.circle(x(t), y(k), Math.max(1, biggest * Math.sqrt(share)), { fill: classColor(c.theme, k), alpha: 0.85 });
        if (t === upto) s.circle(x(t), y(k), biggest + 2.5, { stroke: c.theme.ink, width: 1.5 });
        if (c.hover === t) s.circle(x(t), y(k), biggest + 2.5, { stroke: c.theme.accent, width: 2 });
      });
    });
    const words = labels(c, "states");
    for (let k = 0; k < K; k++) s.text(words[k] ?? String(k), left - 8, y(k), { size: 12, fill: c.theme.ink, anchor: "end", baseline: "middle" });
    const observed = labels(c, "observed");
    const every = Math.max(1, Math.ceil(16 / room));
    observed.forEach((o, t) => t % every === 0 && s.text(o, x(t), s.height - 24, { size: 12, weight: t === upto ? 700 : 400, fill: t <= upto ? c.theme.ink : c.theme.soft, anchor: "middle", baseline: "middle" }));
    return {
      handles: editing(c, observed, (t) => [x(t), s.height - 24], Math.min(14, room / 2)),
      tipAt(px, py) {
        const [t, k] = [Math.floor((px - left) / room), Math.floor((py - top) / row)];
        if (t < 0 || k < 0 || t >= T || k >= K) return null;
        return { text: `${t + 1}: ${words[k] ?? k} ${c.show(values[t]![k], 6)}`, index: t };
      },
    };
  },
  table(c) {
    const words = labels(c, "states");
    const observed = labels(c, "observed");
    const values = matrix(c, "values");
    return { columns: ["#", c.say("shell.column.observed"), ...(values[0] ?? []).map((_, k) => words[k] ?? String(k))], rows: values.map((row, t) => [t + 1, observed[t] ?? "", ...row]) };
  },
};

/** A press on an observation turns it to the next symbol; the control holds them all as one text. */
function editing(c: Context, observed: string[], place: (t: number) => [number, number], r: number): Handle[] {
  const edit = control(c, "edit");
  const symbols = labels(c, "symbols");
  if (!edit || !c.live || !symbols.length) return [];
  const turn = (t: number, by: number): void => {
    const next = symbols[(symbols.indexOf(observed[t]!) + by + symbols.length) % symbols.length]!;
    c.actions.dragged();
    c.actions.change({ [edit.name]: observed.map((o, i) => (i === t ? next : o)).join("") });
  };
  return observed.map((o, t) => {
    const [x, y] = place(t);
    return { key: `observed-${t}`, x, y, r, label: `${t + 1}: ${o}`, press: () => turn(t, 1), choose: (by: number) => turn(t, by) };
  });
}
