// The plane: points, regions, lines, crosses; what is drawn here can be dragged.
import { contours } from "d3-contour";
import { axes, type Box, extent, linear, padded, type Scale } from "../marks/axes";
import { classMap, levelMap, type Raster, upsideDown } from "../marks/maps";
import { blend, classColor, mixShares, type Theme } from "../marks/palette";
import type { Paint, Surface } from "../surface/surface";
import { bound, clamp, type Context, control, type Drawer, type Drawing, given, gliding, type Grab, type Handle, json, matrix, numbers, round, sizes, word } from "./context";

interface Line {
  p: [number, number][];
  role?: string;
  k?: number;
}
interface Band {
  x: number[];
  low: number[];
  high: number[];
}
type Row = number[];

interface Plane {
  box: Box;
  x: Scale;
  y: Scale;
}

function domain(c: Context): [[number, number], [number, number]] {
  const set = json<[[number, number], [number, number]]>(c, "domain");
  if (set) return set;
  const shown = c.frame.arrays.domain;
  if (shown && "json" in shown) return shown.json as [[number, number], [number, number]];
  if (c.scene.points) return c.scene.points.domain;
  const e = numbers(c, "map_extent");
  if (e.length === 4) return [[e[0]!, e[1]!], [e[2]!, e[3]!]];
  const points = matrix(c, "points");
  return [padded(extent([points.map((p) => p[0]!)])), padded(extent([points.map((p) => p[1]!)]))];
}

function plane(c: Context, width: number, height: number): Plane {
  const box = { x: 40, y: 10, w: width - 52, h: height - 38 };
  let [dx, dy] = domain(c);
  if (c.view.equal) {
    const unit = Math.max((dx[1] - dx[0]) / box.w, (dy[1] - dy[0]) / box.h);
    const widen = (d: [number, number], pixels: number): [number, number] => {
      const room = (unit * pixels - (d[1] - d[0])) / 2;
      return [d[0] - room, d[1] + room];
    };
    dx = widen(dx, box.w);
    dy = widen(dy, box.h);
  }
  return { box, x: linear(dx, [box.x, box.x + box.w]), y: linear(dy, [box.y + box.h, box.y]) };
}

const flipped = new WeakMap<object, Uint8Array>();

const ringsOf = new WeakMap<object, [string, number[][][]]>();

/** Contours of a map, made once; along the picture's own edge there is no contour, only a gap. */
function rings(data: Uint8Array, w: number, h: number, levels: number[]): number[][][] {
  const key = levels.join();
  let made = ringsOf.get(data);
  if (made?.[0] !== key) {
    const shapes = contours().size([w, h]).thresholds(levels)(Array.from(data));
    const edge = ([a, b]: number[]): boolean => a! <= 0.51 || b! <= 0.51 || a! >= w - 0.51 || b! >= h - 0.51;
    ringsOf.set(data, (made = [key, shapes.flatMap((shape) => shape.coordinates.flat().map((ring) => ring.map((p) => (edge(p) ? [NaN, NaN] : p))))]));
  }
  return made![1];
}

function drawMap(s: Surface, c: Context, { x, y }: Plane): void {
  const data = numbers(c, "map");
  const [h, w] = sizes(c, "map") as [number, number];
  if (!data.length) return;
  const e = numbers(c, "map_extent");
  const [[x0, x1], [y0, y1]] = e.length === 4 ? [[e[0]!, e[1]!], [e[2]!, e[3]!]] : domain(c);
  let turned = flipped.get(data);
  if (!turned) flipped.set(data, (turned = upsideDown(data, w, h)));
  const level = c.view.map_kind === "level";
  const diverging = level && (c.view.map_scale ? c.view.map_scale === "diverging" : c.scene.points?.kind === "classes");
  const raster: Raster = level ? levelMap(c.theme, turned, w, h, diverging) : classMap(c.theme, turned, w, h);
  const [left, top, W, H] = [x(x0!), y(y1!), x(x1!) - x(x0!), y(y0!) - y(y1!)];
  s.picture(raster.rgba, raster.w, raster.h, left, top, W, H, true);
  if (!level) return;
  const levels = json<number[]>(c, "map_levels") ?? (diverging ? [127.5] : []);
  const across = (v: number): number => left + (v / w) * W;
  const down = (v: number): number => top + (v / h) * H;
  for (const ring of rings(turned, w, h, levels))
    s.polyline(ring.map((p) => across(p[0]!)), ring.map((p) => down(p[1]!)), { stroke: c.theme.ink, width: diverging ? 1.6 : 0.9, alpha: diverging ? 0.75 : 0.35 });
}

function lineLook(theme: Theme, line: Line): { stroke: string; width: number; dash?: number[]; alpha?: number } {
  const color = line.k === undefined || line.k === null ? theme.ink : classColor(theme, line.k);
  switch (line.role) {
    case "before":
      return { stroke: color, width: 1.5, dash: [5, 5], alpha: 0.5 };
    case "margin":
      return { stroke: color, width: 1.1, dash: [3, 4], alpha: 0.8 };
    case "truth":
      return { stroke: theme.soft, width: 1.5, dash: [9, 5] };
    case "path":
    case "normal":
      return { stroke: theme.accent, width: 1.75 };
    case "faint":
      return { stroke: color, width: 1, alpha: 0.28 };
    default:
      return { stroke: color, width: 2.25 };
  }
}

function arrow(s: Surface, x1: number, y1: number, x2: number, y2: number, stroke: string, width = 1.75): void {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const length = Math.hypot(dx, dy);
  if (length < 1) return;
  const [ux, uy] = [dx / length, dy / length];
  const head = Math.min(8, length * 0.5);
  s.path(`M${x1},${y1}L${x2 - ux * head * 0.7},${y2 - uy * head * 0.7}`, { stroke, width });
  s.path(`M${x2},${y2}L${x2 - ux * head - uy * head * 0.5},${y2 - uy * head + ux * head * 0.5}L${x2 - ux * head + uy * head * 0.5},${y2 - uy * head - ux * head * 0.5}Z`, { fill: stroke });
}

function drawShapes(s: Surface, c: Context, p: Plane): void {
  const { x, y } = p;
  const { theme } = c;
  for (const [i, band] of (json<Band[]>(c, "bands") ?? []).entries()) {
    const xs = [...band.x, ...[...band.x].reverse()].map(x);
    const ys = [...band.high, ...[...band.low].reverse()].map(y);
    s.polyline(xs, ys, { fill: classColor(theme, i), alpha: 0.16 });
  }
  const boxClasses = numbers(c, "box_classes");
  for (const [i, [x0, x1, y0, y1]] of matrix(c, "boxes").entries()) {
    const fill = given(c, "box_classes") ? blend(theme.ground, classColor(theme, boxClasses[i]!), theme.dark ? 0.3 : 0.2) : undefined;
    const box = [x(x0!), y(y1!), x(x1!) - x(x0!), y(y0!) - y(y1!)] as const;
    s.rect(...box, { ...(fill ? { fill } : {}), stroke: theme.ink, width: 1, alpha: fill && given(c, "map") ? 0.9 : 1 });
  }
  for (const [i, [cx, cy, side]] of matrix(c, "squares").entries()) {
    const w = Math.abs(y(side!) - y(0));
    s.rect(x(cx!), y(cy!) - (side! > 0 ? w : 0), w, w, { fill: classColor(theme, 5), stroke: classColor(theme, 5), width: 1, alpha: i === c.hover ? 0.5 : 0.22 });
  }
  for (const [cx, cy, r] of matrix(c, "circles")) {
    const [rx, ry] = [Math.abs(x(cx! + r!) - x(cx!)), Math.abs(y(cy! + r!) - y(cy!))];
    s.path(ellipse(x(cx!), y(cy!), rx, ry, 0), { stroke: theme.ink, width: 1.25, dash: [4, 4], alpha: 0.75 });
  }
  for (const [x0, y0, x1, y1] of matrix(c, "segments")) s.path(`M${x(x0!)},${y(y0!)}L${x(x1!)},${y(y1!)}`, { stroke: theme.soft, width: 1, alpha: 0.7 });
  for (const line of json<Line[]>(c, "lines") ?? []) {
    const [xs, ys] = [line.p.map((q) => x(q[0])), line.p.map((q) => y(q[1]))];
    if (line.role === "normal" && xs.length > 1) arrow(s, xs[0]!, ys[0]!, xs.at(-1)!, ys.at(-1)!, theme.accent, 2);
    else s.polyline(xs, ys, lineLook(theme, line));
    if (line.role === "path" && xs.length < 400) xs.forEach((a, i) => s.circle(a, ys[i]!, i === xs.length - 1 ? 4.5 : 2.2, { fill: theme.accent }));
  }
  const e = gliding(c, "ellipses");
  for (let i = 0; i + 4 < e.length; i += 5) {
    const [cx, cy, a, b, turn] = [e[i]!, e[i + 1]!, e[i + 2]!, e[i + 3]!, e[i + 4]!];
    const corners = Array.from({ length: 73 }, (_, n) => {
      const angle = (n / 36) * Math.PI;
      const [u, v] = [a * Math.cos(angle), b * Math.sin(angle)];
      return [x(cx + u * Math.cos(turn) - v * Math.sin(turn)), y(cy + u * Math.sin(turn) + v * Math.cos(turn))];
    });
    const color = classColor(theme, i / 5);
    const [xs, ys] = [corners.map((q) => q[0]!), corners.map((q) => q[1]!)];
    s.polyline(xs, ys, { fill: color, alpha: 0.1 });
    s.polyline(xs, ys, { stroke: color, width: 2 });
  }
  for (const [x0, y0, x1, y1] of matrix(c, "arrows")) arrow(s, x(x0!), y(y0!), x(x1!), y(y1!), theme.accent);
}

function ellipse(cx: number, cy: number, rx: number, ry: number, turn: number): string {
  return `M${cx - rx},${cy}a${rx},${ry} ${turn} 1 0 ${2 * rx},0a${rx},${ry} ${turn} 1 0 ${-2 * rx},0Z`;
}

/** Few points are drawn large, many small, and all smaller on a narrow page. */
const radius = (n: number, width: number): number => (n <= 40 ? 6 : n <= 120 ? 5 : n <= 500 ? 4 : n <= 1500 ? 3.1 : 2.4) * (width < 440 ? 0.8 : 1);

interface Cloud {
  xs: Float64Array;
  ys: Float64Array;
  n: number;
}

/** Where the points stand: as the run says, or as a hand has put them since. */
function cloud(c: Context, { x, y }: Plane): Cloud {
  const data = gliding(c, "points");
  const n = sizes(c, "points")[0] ?? 0;
  const d = n ? data.length / n : 2;
  const held = (c.state.points as { rows?: Row[] } | undefined)?.rows;
  const own = c.view.editable && held?.length === n ? held : null;
  const [xs, ys] = [new Float64Array(n), new Float64Array(n)];
  for (let i = 0; i < n; i++) {
    xs[i] = x(own ? own[i]![0]! : data[i * d]!);
    ys[i] = y(own ? own[i]![1]! : data[i * d + 1]!);
  }
  return { xs, ys, n };
}

const looks = new Map<string, Paint>();

/** One paint for all marks of a look, so that they can be stamped. */
function look(fill: string, stroke: string, width: number): Paint {
  const key = fill + stroke;
  let made = looks.get(key);
  if (!made) {
    if (looks.size > 2000) looks.clear();
    looks.set(key, (made = { fill, stroke, width }));
  }
  return made;
}

const mixes = new WeakMap<object, [Theme, string[]]>();

function mixtures(theme: Theme, shares: ArrayLike<number>, n: number, k: number): string[] {
  let made = mixes.get(shares);
  if (made?.[0] !== theme) mixes.set(shares, (made = [theme, Array.from({ length: n }, (_, i) => mixShares(theme, shares, i * k, k))]));
  return made![1];
}

function drawPoints(s: Surface, c: Context, { xs, ys, n }: Cloud): void {
  const { theme } = c;
  const classes = numbers(c, "classes");
  const target = numbers(c, "target");
  const areas = numbers(c, "sizes");
  const shares = numbers(c, "shares");
  const k = n ? shares.length / n : 0;
  const usual = radius(n, s.width);
  const hasClasses = given(c, "classes");
  const plainColor = c.scene.points?.kind === "xy" ? theme.ink : theme.accent;
  // heavy ones first, so that none hides a light one
  const mixed = k ? mixtures(theme, shares, n, k) : [];
  const order = Array.from({ length: n }, (_, i) => i);
  if (areas.length) order.sort((a, b) => areas[b]! - areas[a]!);
  for (const i of order) {
    const own = hasClasses ? classes[i]! : target.length ? target[i]! : null;
    const shape = Math.max(0, target.length ? target[i]! : (own ?? 0));
    const fill = k ? mixed[i]! : own === null ? plainColor : own < 0 ? theme.ground : classColor(theme, own);
    const r = areas.length ? Math.max(1.5, Math.round(Math.sqrt(areas[i]!) * 28) / 2) : usual;
    s.mark(shape, xs[i]!, ys[i]!, r, own !== null && own < 0 ? look(fill, theme.soft, 1.3) : look(fill, theme.ground, 1));
  }
  for (const i of Array.from(numbers(c, "marked"))) if (i >= 0 && i < n) s.circle(xs[i]!, ys[i]!, usual + 4.5, { stroke: theme.ink, width: 1.75 });
  if (c.hover !== null && c.hover < n) s.circle(xs[c.hover]!, ys[c.hover]!, usual + 4, { stroke: theme.accent, width: 2.25 });
}

function drawCrosses(s: Surface, c: Context, { x, y }: Plane): Row[] {
  const now = gliding(c, "crosses");
  const { theme } = c;
  const held = c.at === 0 && typeof c.view.drag === "string" ? (c.state[c.view.drag] as Row[] | null | undefined) : null;
  const at: Row[] = [];
  for (let i = 0; i + 1 < now.length; i += 2) {
    const put = held && held.length === now.length / 2 ? held[i / 2]! : [now[i]!, now[i + 1]!];
    at.push([x(put[0]!), y(put[1]!)]);
  }
  const past = c.frames.slice(0, c.at).map((f) => numbersAt(c, "crosses", f));
  at.forEach(([px, py], k) => {
    const trail = past.filter((p) => p.length === now.length).map((p) => [x(p[2 * k]!), y(p[2 * k + 1]!)] as const);
    const color = classColor(theme, k);
    if (trail.length) {
      s.polyline([...trail.map((t) => t[0]), px!], [...trail.map((t) => t[1]), py!], { stroke: theme.ground, width: 5, alpha: 0.8 });
      s.polyline([...trail.map((t) => t[0]), px!], [...trail.map((t) => t[1]), py!], { stroke: blend(color, theme.ink, 0.3), width: 1.75 });
      s.circle(trail[0]![0], trail[0]![1], 3, { fill: theme.ground, stroke: blend(color, theme.ink, 0.3), width: 1.75 });
    }
  });
  at.forEach(([px, py], k) => {
    const arm = s.width < 440 ? 6.5 : 8;
    const d = `M${px! - arm},${py! - arm}L${px! + arm},${py! + arm}M${px! + arm},${py! - arm}L${px! - arm},${py! + arm}`;
    s.path(d, { stroke: theme.ground, width: 8.5 });
    s.path(d, { stroke: theme.ink, width: 5.5 });
    s.path(d, { stroke: blend(classColor(theme, k), theme.dark ? "#ffffff" : "#000000", 0.08), width: 2.75 });
  });
  return at;
}

const numbersAt = (c: Context, binding: string, frame: Context["frame"]): ArrayLike<number> => {
  const found = bound(c, binding, frame);
  return found && "data" in found ? found.data : Array.isArray(found?.json) ? (found.json as number[]).flat(2) : [];
};

/** The rows of the plane as the state knows them: x, y and, where there are classes, the class. */
export function pointRows(c: Context): Row[] {
  const held = (c.state.points as { rows?: Row[] } | undefined)?.rows;
  if (held) return held;
  const points = matrix(c, "points");
  const classes = c.scene.points?.kind === "classes" ? (given(c, "target") ? numbers(c, "target") : numbers(c, "classes")) : null;
  return points.map((p, i) => (classes ? [round(p[0]!), round(p[1]!), classes[i] ?? 0] : [round(p[0]!), round(p[1]!)]));
}

function editing(c: Context, p: Plane, spots: Cloud, crosses: Row[]): Pick<Drawing, "handles" | "grab" | "move"> {
  const [[x0, x1], [y0, y1]] = [p.x.domain(), p.y.domain()] as [[number, number], [number, number]];
  const place = (px: number, py: number): Row => [round(clamp(p.x.invert(px), x0, x1)), round(clamp(p.y.invert(py), y0, y1))];
  const handles: Handle[] = [];
  const drag = typeof c.view.drag === "string" ? c.view.drag : null;
  if (drag && c.live) {
    // to take a cross is to take over: the run begins anew from the crosses on show
    const data = numbers(c, "crosses");
    const held = c.at === 0 ? (c.state[drag] as Row[] | null) : null;
    const starts = crosses.map((_, k) => (held?.length === crosses.length ? held[k]! : [round(data[2 * k]!), round(data[2 * k + 1]!)]));
    const put = (k: number, at: Row): void => {
      c.actions.dragged();
      c.actions.go(0);
      c.actions.change({ [drag]: starts.map((start, j) => (j === k ? at : start)) });
    };
    crosses.forEach(([px, py], k) =>
      handles.push({
        key: `cross${k}`,
        x: px!,
        y: py!,
        r: 14,
        label: c.say("shell.cross", { n: k + 1, x: c.show(starts[k]![0], 3), y: c.show(starts[k]![1], 3) }),
        drag: (a, b) => put(k, place(a, b)),
        nudge: (dx, dy) => put(k, [round(clamp(starts[k]![0]! + dx * (x1 - x0), x0, x1)), round(clamp(starts[k]![1]! + dy * (y1 - y0), y0, y1))]),
      }),
    );
  }
  const pointer = typeof c.view.pointer === "string" ? c.view.pointer : null;
  if (pointer && c.live) {
    const at = c.state[pointer] as Row | Row[] | null;
    const here: Row = Array.isArray(at) ? ((Array.isArray(at[0]) ? at[0] : at) as Row) : [(x0 + x1) / 2, (y0 + y1) / 2];
    const nested = control(c, "pointer")?.kind === "matrix";
    const put = (to: Row): void => (c.actions.dragged(), c.actions.change({ [pointer]: nested ? [to] : to }));
    handles.push({
      key: "query",
      x: p.x(here[0]!),
      y: p.y(here[1]!),
      r: 14,
      label: c.say("shell.query", { x: c.show(here[0], 3), y: c.show(here[1], 3) }),
      drag: (a, b) => put(place(a, b)),
      nudge: (dx, dy) => put([round(clamp(here[0]! + dx * (x1 - x0), x0, x1)), round(clamp(here[1]! + dy * (y1 - y0), y0, y1))]),
    });
  }
  if (!c.view.editable || !c.live) return { handles, ...(pointer && c.live ? { grab: (a, b) => ({ move: (u: number, v: number) => handles.at(-1)!.drag!(u, v), up: (m: boolean) => void (m || handles.at(-1)!.drag!(a, b)) }) } : {}) };

  const send = (rows: Row[]): void => {
    c.actions.dragged();
    c.actions.change({ points: { rows, domain: domain(c) } });
  };
  const classes = c.scene.points?.kind === "classes";
  const nearest = (a: number, b: number): number => {
    let [best, found] = [144, -1];
    for (let i = 0; i < spots.n; i++) {
      const d = (spots.xs[i]! - a) ** 2 + (spots.ys[i]! - b) ** 2;
      if (d < best) [best, found] = [d, i];
    }
    return found;
  };
  const grab = (a: number, b: number, event: PointerEvent): Grab | null => {
    const i = nearest(a, b);
    const rows = pointRows(c);
    if (i < 0) {
      return {
        move: () => undefined,
        up: (moved) => {
          if (moved || rows.length >= (c.scene.points?.limit ?? c.scene.limit)) return;
          send([...rows, classes ? [...place(a, b), c.actions.addClass()] : place(a, b)]);
        },
      };
    }
    if (event.altKey) return { move: () => undefined, up: (moved) => void (moved || send(rows.filter((_, j) => j !== i))) };
    return { move: (u, v) => send(rows.map((row, j) => (j === i ? [...place(u, v), ...row.slice(2)] : row))) };
  };
  const i = Math.min(c.actions.cursor.value, spots.n - 1);
  if (i >= 0) {
    const data = numbers(c, "points");
    const d = data.length / spots.n;
    const edit = (to: (row: Row) => Row): void => send(pointRows(c).map((row, j) => (j === i ? to(row) : row)));
    handles.push({
        key: "point",
        x: spots.xs[i]!,
        y: spots.ys[i]!,
        r: 9,
        label: c.say("shell.point", { n: i + 1, of: spots.n, x: c.show(data[i * d], 3), y: c.show(data[i * d + 1], 3) }),
        choose: (by) => (c.actions.cursor.value = (i + by + spots.n) % spots.n),
        nudge: (dx, dy) => edit((r) => [round(clamp(r[0]! + dx * (x1 - x0), x0, x1)), round(clamp(r[1]! + dy * (y1 - y0), y0, y1)), ...r.slice(2)]),
        remove: () => send(pointRows(c).filter((_, j) => j !== i)),
        ...(classes ? { press: () => edit((r) => [r[0]!, r[1]!, ((r[2] ?? 0) + 1) % (c.scene.points?.classes ?? 2)]) } : {}),
        drag: (a, b) => edit((r) => [...place(a, b), ...r.slice(2)]),
      });
  }
  return { handles, grab };
}

export const drawer: Drawer = {
  height: (c, width, main) => {
    const [dx, dy] = domain(c);
    const ratio = c.view.equal ? (dy[1] - dy[0]) / (dx[1] - dx[0]) : main ? 0.66 : 0.72;
    return Math.round(clamp((width - 52) * ratio + 38, 220, main ? 560 : 380));
  },
  draw(s, c) {
    const p = plane(c, s.width, s.height);
    const { box } = p;
    let spots: Cloud = { xs: new Float64Array(0), ys: new Float64Array(0), n: 0 };
    let crosses: Row[] = [];
    const map = given(c, "map");
    if (!map) axes(s, c.theme, box, p.x, p.y, { lang: c.lang, grid: "both" });
    s.clip(box.x, box.y, box.w, box.h, () => {
      if (map) drawMap(s, c, p);
      drawShapes(s, c, p);
      spots = cloud(c, p);
      drawPoints(s, c, spots);
    });
    if (map) axes(s, c.theme, box, p.x, p.y, { lang: c.lang, grid: "none" });
    s.clip(box.x - 10, box.y - 10, box.w + 20, box.h + 20, () => {
      if (given(c, "crosses")) crosses = drawCrosses(s, c, p);
    });
    if (typeof c.view.pointer === "string") {
      const at = c.state[c.view.pointer] as Row | Row[] | null;
      const here = Array.isArray(at) ? ((Array.isArray(at[0]) ? at[0] : at) as Row) : null;
      if (here) {
        s.circle(p.x(here[0]!), p.y(here[1]!), 8, { fill: c.theme.ground, stroke: c.theme.ink, width: 2 });
        s.text("?", p.x(here[0]!), p.y(here[1]!), { size: 11, weight: 700, fill: c.theme.ink, anchor: "middle", baseline: "middle" });
      }
    }
    for (const [a, b, text] of json<[number, number, string][]>(c, "labels") ?? [])
      s.text(String(text), p.x(a), p.y(b) - 9, { size: 12, weight: 600, fill: c.theme.ink, anchor: "middle", halo: c.theme.ground });
    const data = numbers(c, "points");
    const d = spots.n ? data.length / spots.n : 2;
    return {
      ...editing(c, p, spots, crosses),
      hits: {
        x: spots.xs,
        y: spots.ys,
        reach: 10,
        linked: true,
        tip: (i) => `${i + 1}: ${Array.from({ length: d }, (_, j) => c.show(data[i * d + j], 4)).join(", ")}`,
      },
    };
  },
  table(c) {
    const rows = matrix(c, "points");
    const extra = ["classes", "target", "sizes"].filter((name) => given(c, name));
    if (rows.length) {
      const lists = extra.map((name) => numbers(c, name));
      return { columns: ["#", "x", "y", ...extra.map((name) => c.say(`shell.column.${name}`))], rows: rows.map((r, i) => [i + 1, r[0]!, r[1]!, ...lists.map((l) => l[i] ?? null)]) };
    }
    const crosses = matrix(c, "crosses");
    if (crosses.length) return { columns: ["#", "x", "y"], rows: crosses.map((r, i) => [i + 1, r[0]!, r[1]!]) };
    const lines = json<Line[]>(c, "lines") ?? [];
    return { columns: [word(c, `view.${c.view.id}`), "x", "y"], rows: lines.flatMap((line, i) => line.p.map((q) => [line.role ?? String(i + 1), q[0], q[1]])) };
  },
};
