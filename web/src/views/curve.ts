// Curves: numbers over the frames of a run, or arrays over an axis within one frame.
import { axes, type Box, extent, linear, logarithmic, padded, type Scale } from "../marks/axes";
import { classColor } from "../marks/palette";
import { clamp, type Context, control, type Drawer, type Handle, json, numbers, round, value, word } from "./context";
import { flat } from "../protocol/arrays";

interface Series {
  value?: string;
  array?: string;
  low?: string;
  high?: string;
  label?: string;
  role?: string;
}

interface Curve {
  label: string;
  xs: number[];
  ys: (number | null)[];
  low?: ArrayLike<number>;
  high?: ArrayLike<number>;
  color: string;
  dash?: number[];
}

const array = (c: Context, name: string): ArrayLike<number> => flat(c.frame.arrays[name] ?? c.head[name]);

function curves(c: Context): Curve[] {
  const series = (c.view.series as (Series | string)[] | undefined) ?? [];
  const whole = numbers(c, "x");
  return series.map((entry, i) => {
    const s: Series = typeof entry === "string" ? { value: entry } : entry;
    const name = s.label ?? s.value ?? s.array ?? "";
    const truth = s.role === "truth" || s.role === "bound";
    const look = { label: name.includes(".") ? word(c, name) : word(c, `value.${name}`), color: truth ? c.theme.soft : classColor(c.theme, i), ...(truth ? { dash: [6, 4] } : {}) };
    if (s.value) return { ...look, xs: places(c), ys: c.frames.map((f) => f.values[s.value!] ?? null) };
    const ys = Array.from(array(c, s.array ?? ""));
    return {
      ...look,
      xs: whole.length ? Array.from(whole) : ys.map((_, j) => j),
      ys,
      ...(s.low && s.high ? { low: array(c, s.low), high: array(c, s.high) } : {}),
    };
  });
}

/** Where frames stand along the axis: at their n, and parts of one n (an E and an M) side by side. */
function places(c: Context): number[] {
  const parts = Math.max(1, c.scene.parts?.length ?? 1);
  let [n, k] = [-1, 0];
  return c.frames.map((f) => {
    k = f.n === n ? k + 1 : 0;
    n = f.n;
    return n + k / parts;
  });
}

/** Where the names of curves stand: side by side, in as many rows as they need. */
function legendSpots(entries: Curve[], width: number): { curve: Curve; x: number; row: number }[] {
  let [x, row] = [48, 0];
  return entries.map((curve) => {
    const room = 24 + curve.label.length * 6.4;
    if (x + room > width && x > 48) [x, row] = [48, row + 1];
    const spot = { curve, x, row };
    x += room + 10;
    return spot;
  });
}

/** The span of most values: a start that is orders away is cut off, and said so. */
export function robust(values: number[]): { domain: [number, number]; cut: number } {
  const all = extent([values]);
  if (values.length < 5) return { domain: all, cut: 0 };
  for (let cut = 1; cut <= 2; cut++) {
    const rest = extent([values.slice(cut)]);
    if (all[1] - all[0] > 12 * (rest[1] - rest[0]) && rest[1] > rest[0]) return { domain: rest, cut };
  }
  return { domain: all, cut: 0 };
}

export const drawer: Drawer = {
  height: (_, width, main) => Math.round(clamp(width * (main ? 0.6 : 0.56), 170, main ? 480 : 270)),
  draw(s, c) {
    const list = curves(c);
    const overFrames = list.length > 0 && !(c.view.series as Series[]).some((e) => typeof e === "object" && e.array);
    const named = list.length > 1;
    const spots = legendSpots(named ? list.filter((k) => k.ys.some((v) => v !== null && Number.isFinite(v))) : [], s.width);
    const top = 14 + 16 * (1 + (spots.at(-1)?.row ?? -1));
    const box: Box = { x: 48, y: top, w: s.width - 62, h: s.height - top - 28 };
    const levels = json<{ y: number; label: string }[]>(c, "levels") ?? [];
    // what is not positive has no place on an axis of powers
    const drawn = (v: number | null): v is number => v !== null && Number.isFinite(v) && (v > 0 || !c.view.log_y);
    const known = list.flatMap((k) => k.ys.filter(drawn));
    const { domain: main, cut } = overFrames && list.length === 1 && !c.view.log_y ? robust(known) : { domain: extent([known]), cut: 0 };
    const dy = extent([main, levels.map((l) => l.y).filter(Number.isFinite), ...list.flatMap((k) => (k.low && k.high ? [k.low, k.high] : []))]);
    const dx = extent(list.map((k) => k.xs));
    if (dx[0] === dx[1]) dx[1] = dx[0] + 1;
    const x: Scale = (c.view.log_x ? logarithmic : linear)(dx, [box.x, box.x + box.w]);
    const y: Scale = c.view.log_y ? logarithmic(dy, [box.y + box.h, box.y]) : linear(padded(dy, 0.08), [box.y + box.h, box.y]);
    axes(s, c.theme, box, x, y, { lang: c.lang, logX: Boolean(c.view.log_x), logY: Boolean(c.view.log_y), whole: overFrames });
    const here = list[0]?.xs[c.at] ?? c.frame.n;
    s.clip(box.x - 6, box.y - 6, box.w + 12, box.h + 12, () => {
      for (const k of list) {
        if (!k.low || !k.high) continue;
        const xs = [...k.xs, ...[...k.xs].reverse()].map((v) => x(v));
        const ys = [...Array.from(k.high), ...Array.from(k.low).reverse()].map((v) => y(v));
        s.polyline(xs, ys, { fill: k.color, alpha: 0.15 });
      }
      for (const level of levels) {
        s.path(`M${box.x},${y(level.y)}h${box.w}`, { stroke: c.theme.soft, width: 1.25, dash: [6, 4] });
        s.text(level.label, box.x + box.w, y(level.y) - 4, { size: 11, fill: c.theme.soft, anchor: "end", halo: c.theme.ground });
      }
      for (const k of list) {
        const ys = k.ys.map((v) => (drawn(v) ? y(v) : NaN));
        const xs = k.xs.map((v) => x(v));
        const paint = { stroke: k.color, width: 2, ...(k.dash ? { dash: k.dash } : {}) };
        if (overFrames) {
          s.polyline(xs, ys, { ...paint, width: 1.5, alpha: 0.3 });
          const upto = c.at + 1;
          s.polyline(xs.slice(0, upto), ys.slice(0, upto), paint);
          if (xs.length <= 40) xs.forEach((a, i) => i < upto && Number.isFinite(ys[i]!) && s.circle(a, ys[i]!, 2.4, { fill: k.color }));
          if (Number.isFinite(ys[c.at]!)) s.circle(xs[c.at]!, ys[c.at]!, 5, { fill: k.color, stroke: c.theme.ground, width: 2 });
        } else {
          s.polyline(xs, ys, paint);
          if (xs.length <= 25) xs.forEach((a, i) => Number.isFinite(ys[i]!) && s.circle(a, ys[i]!, 2.4, { fill: k.color }));
        }
      }
      const marker = value(c, "marker");
      if (marker !== null) s.path(`M${x(marker)},${box.y}v${box.h}`, { stroke: c.theme.ink, width: 1.5 });
      if (overFrames) s.path(`M${x(here)},${box.y}v${box.h}`, { stroke: c.theme.ink, width: 1, alpha: 0.25 });
    });
    if (typeof c.view.x_label === "string") s.text(word(c, c.view.x_label), box.x + box.w, box.y + box.h - 6, { size: 11, fill: c.theme.soft, anchor: "end", halo: c.theme.ground });
    for (const { curve: k, x: left, row } of spots) {
      s.path(`M${left},${14 + 16 * row}h14`, { stroke: k.color, width: 2.5, ...(k.dash ? { dash: k.dash } : {}) });
      s.text(k.label, left + 19, 14 + 16 * row, { size: 11.5, fill: c.theme.soft, baseline: "middle" });
    }
    const handles: Handle[] = [];
    const drag = control(c, "drag");
    const marker = value(c, "marker");
    if (drag && c.live && marker !== null) {
      const [low, high] = [drag.min ?? dx[0], drag.max ?? dx[1]];
      const put = (v: number): void => c.actions.change({ [drag.name]: drag.integer ? Math.round(clamp(v, low, high)) : round(clamp(v, low, high)) });
      handles.push({
        key: "marker",
        x: x(marker),
        y: box.y + box.h / 2,
        r: 12,
        shape: "across",
        length: box.h,
        label: drag.title ?? word(c, `control.${drag.name}`),
        value: { now: marker, min: low, max: high, text: c.show(marker) },
        drag: (a) => put(x.invert(a)),
        nudge: (d) => put(drag.integer ? marker + Math.sign(d) : marker + d * (high - low)),
      });
    }
    const note = cut ? c.say("shell.clipped", { n: cut, value: c.show(known[0]!) }) : undefined;
    if (note) {
      const above = known[0]! > main[1];
      s.text(`${above ? "↑" : "↓"} ${c.show(known[0]!)}`, x(list[0]!.xs[0]!) + 8, above ? box.y + 2 : box.y + box.h - 4, { size: 11, fill: c.theme.soft, baseline: above ? "top" : "bottom", halo: c.theme.ground });
    }
    return {
      handles,
      ...(note ? { note } : {}),
      tipAt(px, py) {
        if (px < box.x - 8 || px > box.x + box.w + 8 || py < box.y || py > box.y + box.h) return null;
        const lines: string[] = [];
        for (const k of list) {
          let best = 0;
          k.xs.forEach((v, i) => Math.abs(x(v) - px) < Math.abs(x(k.xs[best]!) - px) && (best = i));
          if (k.xs.length) lines.push(`${k.label} (${c.show(k.xs[best]!)}): ${c.show(k.ys[best], 6)}`);
        }
        return lines.length ? { text: lines.join("\n") } : null;
      },
      ...(overFrames
        ? {
            grab: () => {
              const to = (px: number): void => {
                const xs = list[0]!.xs;
                let best = 0;
                xs.forEach((v, i) => Math.abs(x(v) - px) < Math.abs(x(xs[best]!) - px) && (best = i));
                c.actions.go(best);
              };
              return { move: (px: number) => to(px) };
            },
          }
        : {}),
    };
  },
  table(c) {
    const list = curves(c);
    const xs = list[0]?.xs ?? [];
    const byFrame = c.view.x === undefined;
    return { columns: [byFrame ? c.say("shell.frame_word") : "x", ...list.map((k) => k.label)], rows: xs.map((v, i) => [v, ...list.map((k) => k.ys[i] ?? null)]) };
  },
};
