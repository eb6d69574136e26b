// Axes: few ticks, labels in the soft ink, lines on whole pixels.
import { scaleLinear, scaleLog, type ScaleContinuousNumeric } from "d3-scale";
import type { Surface } from "../surface/surface";
import { number } from "../words/format";
import type { Theme } from "./palette";

export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

export type Scale = ScaleContinuousNumeric<number, number>;

export function extent(lists: ArrayLike<number>[]): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const list of lists)
    for (let i = 0; i < list.length; i++) {
      const v = list[i]!;
      if (v === null || !Number.isFinite(v)) continue;
      if (v < low) low = v;
      if (v > high) high = v;
    }
  return low > high ? [0, 1] : [low, high];
}

export function padded([low, high]: [number, number], share = 0.06): [number, number] {
  const room = (high - low || Math.abs(high) || 1) * share;
  return [low - room, high + room];
}

export function linear(domain: readonly [number, number], range: [number, number]): Scale {
  return scaleLinear(domain, range);
}

export function logarithmic(domain: readonly [number, number], range: [number, number]): Scale {
  const high = domain[1] > 0 ? domain[1] : 1;
  return scaleLog([domain[0] > 0 ? domain[0] : high / 1e6, high], range);
}

const crisp = (v: number): number => Math.round(v) + 0.5;

function ticks(scale: Scale, wanted: number, log: boolean): number[] {
  if (!log) return scale.ticks(wanted);
  const [low, high] = scale.domain() as [number, number];
  const made: number[] = [];
  for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++) made.push(10 ** e);
  const inside = made.filter((v) => v >= low * 0.999 && v <= high * 1.001);
  const every = Math.ceil(inside.length / wanted);
  return inside.length > 1 ? inside.filter((_, i) => i % every === 0) : scale.ticks(wanted).filter((_, i, all) => i === 0 || i === all.length - 1);
}

export interface AxisOptions {
  lang: string;
  logX?: boolean;
  logY?: boolean;
  grid?: "y" | "both" | "none";
  whole?: boolean;
  titleX?: string;
  titleY?: string;
}

export function axes(s: Surface, theme: Theme, box: Box, x: Scale | null, y: Scale | null, options: AxisOptions): void {
  const grid = options.grid ?? "y";
  if (y)
    for (const v of ticks(y, Math.max(2, Math.min(5, Math.floor(box.h / 44))), options.logY ?? false)) {
      const at = y(v);
      if (grid !== "none") s.path(`M${box.x},${crisp(at)}H${box.x + box.w}`, { stroke: theme.line, width: 1 });
      s.text(number(v, options.lang, 3), box.x - 7, at, { size: 11, fill: theme.soft, anchor: "end", baseline: "middle" });
    }
  if (x) {
    let values = ticks(x, Math.max(2, Math.min(6, Math.floor(box.w / 78))), options.logX ?? false);
    if (options.whole) values = values.filter(Number.isInteger);
    for (const v of values) {
      const at = x(v);
      if (grid === "both") s.path(`M${crisp(at)},${box.y}V${box.y + box.h}`, { stroke: theme.line, width: 1 });
      else s.path(`M${crisp(at)},${box.y + box.h}v4`, { stroke: theme.line, width: 1 });
      s.text(number(v, options.lang, 3), at, box.y + box.h + 8, { size: 11, fill: theme.soft, anchor: "middle", baseline: "top" });
    }
    s.path(`M${box.x},${crisp(box.y + box.h)}H${box.x + box.w}`, { stroke: grid === "none" ? theme.line : theme.soft, width: 1, alpha: grid === "none" ? 1 : 0.55 });
  }
  if (options.titleX) s.text(options.titleX, box.x + box.w, box.y + box.h + 24, { size: 11, fill: theme.soft, anchor: "end", baseline: "top" });
  if (options.titleY) s.text(options.titleY, box.x, box.y - 6, { size: 11, fill: theme.soft, baseline: "bottom" });
}

/** Labels of categories below a band of width `step`, every second or third where they would touch. */
export function categories(s: Surface, theme: Theme, labels: string[], at: (i: number) => number, y: number, step: number): void {
  const longest = Math.max(1, ...labels.map((l) => l.length)) * 6.2;
  const every = Math.max(1, Math.ceil(longest / Math.max(step, 1)));
  labels.forEach((label, i) => {
    if (i % every === 0) s.text(label, at(i), y, { size: 11, fill: theme.soft, anchor: "middle", baseline: "top" });
  });
}
