// A graph: nodes that can carry bars, edges with or without a head; arcs can be drawn, turned and taken away.
import { blend, classColor, type Theme } from "../marks/palette";
import type { Surface } from "../surface/surface";
import type { Control } from "../protocol/types";
import { clamp, type Context, control, type Drawer, type Drawing, type Grab, type Handle, json } from "./context";

type Bars = [string, number][];
interface Node {
  id: string;
  label?: string;
  x: number;
  y: number;
  role?: string;
  shaded?: boolean;
  /** A square: a factor among variables. */
  square?: boolean;
  /** What the node may be: presses go through them as `node=state`. */
  states?: string[];
  /** A part of the disc that is filled, by area. */
  share?: number;
  value?: number;
  bars?: Bars;
  /** A class or label whose colour fills the node. */
  k?: number;
}
interface Edge {
  from: string;
  to: string;
  role?: string;
  directed?: boolean;
  label?: string;
  bars?: Bars;
}
interface Drawn {
  nodes: string[];
  arcs: [string, string][];
  at: [number, number][];
}

/** Nodes are smaller where many stand in a narrow picture, and never overlap. */
function radius(width: number, spots: Spot[]): number {
  let nearest = Infinity;
  spots.forEach((a, i) => spots.slice(i + 1).forEach((b) => (nearest = Math.min(nearest, Math.hypot(a.x - b.x, a.y - b.y)))));
  return Math.max(6, Math.min(clamp(width / (spots.length + 8), 12, 21), nearest * 0.44));
}

interface Spot {
  x: number;
  y: number;
}
interface Box extends Spot {
  w: number;
  h: number;
}
const overlap = (a: Box, b: Box): number => Math.max(0, Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x)) * Math.max(0, Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y));

/** Where the bars of a node stand: below it, or beside or above it where that hides less of what is drawn. */
function barsOf(bars: Bars, { x, y }: Spot, R: number, more: number, taken: Box[], s: Surface): Box {
  const [before, h] = [barLabels(bars), Math.min(6, bars.length) * 14 + 5];
  const w = before + 50 + 36;
  const places: Box[] = [
    { x: x - 22 - before, y: y + R + 3 + more, w, h },
    { x: x + R + 6, y: y - h / 2, w, h },
    { x: x - R - 6 - w, y: y - h / 2, w, h },
    { x: x - 22 - before, y: y - R - 3 - h, w, h },
  ];
  const cost = (box: Box): number => taken.reduce((sum, other) => sum + overlap(box, other), 0) + 4 * (box.w * box.h - overlap(box, { x: 0, y: 0, w: s.width, h: s.height }));
  return places.reduce((best, place) => (cost(place) < cost(best) - 1 ? place : best));
}

function color(theme: Theme, role: string | undefined): { stroke: string; fill: string; width: number; dash?: number[] } {
  const fill = theme.ground;
  switch (role) {
    case "observed":
      return { stroke: theme.ink, fill: theme.dark ? "#3a424b" : "#d5dae0", width: 2.25 };
    case "query":
      return { stroke: theme.accent, fill, width: 3 };
    case "open":
    case "active":
    case "added":
      return { stroke: theme.good, fill, width: 3 };
    case "blocked":
    case "removed":
      return { stroke: theme.bad, fill, width: 2.25, dash: [5, 4] };
    case "collider":
      return { stroke: classColor(theme, 3), fill, width: 3 };
    default:
      return { stroke: theme.soft, fill, width: 1.75 };
  }
}

const barLabels = (bars: Bars): number => Math.max(...bars.map(([label]) => label.length)) * 5.8 + 9;

function miniBars(s: Surface, theme: Theme, bars: Bars, x: number, y: number, width: number): Box {
  const before = barLabels(bars);
  s.rect(x - before, y - 4, before + width + 36, Math.min(6, bars.length) * 14 + 5, { fill: theme.ground, stroke: theme.line, width: 1 }, 6);
  bars.slice(0, 6).forEach(([label, p], i) => {
    const top = y + i * 14;
    s.rect(x, top, width, 11, { fill: theme.faint }, 2);
    s.rect(x, top, Math.max(0.5, width * clamp(p, 0, 1)), 11, { fill: theme.accent, alpha: 0.75 }, 2);
    s.text(label, x - 5, top + 5.5, { size: 10.5, fill: theme.soft, anchor: "end", baseline: "middle", halo: theme.ground });
    s.text(p.toFixed(3), x + width + 4, top + 5.5, { size: 10, fill: theme.soft, baseline: "middle", halo: theme.ground });
  });
  return { x: x - before, y: y - 4, w: before + width + 36, h: Math.min(6, bars.length) * 14 + 5 };
}

/** The graph that is edited: the state's, or, where a choice of examples is bound and says otherwise, the one on show. */
function heldGraph(c: Context): Drawn | null {
  const edit = control(c, "edit");
  if (!edit) return null;
  const own = control(c, "own");
  if (!own || c.state[own.name] === "own") return c.state[edit.name] as Drawn | null;
  const nodes = json<Node[]>(c, "nodes") ?? [];
  const edges = json<Edge[]>(c, "edges") ?? [];
  return { nodes: nodes.map((n) => n.id), arcs: edges.filter((e) => e.from !== e.to).map((e) => [e.from, e.to]), at: nodes.map((n) => [n.x, n.y]) };
}

function parts(c: Context): { nodes: Node[]; edges: Edge[] } {
  const nodes = json<Node[]>(c, "nodes") ?? [];
  const held = heldGraph(c);
  // a node that is being dragged stands under the finger before the run answers
  const at = new Map(held?.nodes?.map((name, i) => [name, held.at?.[i]]) ?? []);
  return { nodes: nodes.map((n) => (at.get(n.id) ? { ...n, x: at.get(n.id)![0], y: at.get(n.id)![1] } : n)), edges: json<Edge[]>(c, "edges") ?? [] };
}

/** What a press on a node sets: one control always, or that which the choice bound as `press` names; none: arcs are drawn. */
function picks(c: Context): Control | undefined {
  if (!c.view.pick || typeof c.view.pick === "string") return control(c, "pick");
  const now = (c.view.pick as Record<string, string>)[String(c.state[c.view.press as string])];
  return c.scene.controls.find((found) => found.name === now);
}

let picked: string | null = null;

export const drawer: Drawer = {
  height(c, width, main) {
    const tall = (json<Node[]>(c, "nodes") ?? []).some((n) => n.bars?.length);
    return Math.round(clamp(width * (tall ? (width < 480 ? 0.95 : 0.72) : 0.6), 220, main ? 520 : 340));
  },
  draw(s, c): Drawing {
    const { nodes, edges } = parts(c);
    const tall = Math.max(0, ...nodes.map((n) => n.bars?.length ?? 0)) * 14;
    const side = tall ? 74 : 40;
    const left = (v: number): number => side + v * (s.width - 2 * side);
    // above the highest node there is its name, or an arrow to itself with its label
    const above = edges.some((e) => e.from === e.to) ? 62 : 40;
    const top = (v: number): number => above + v * (s.height - above - 32 - tall);
    const place = new Map(nodes.map((n) => [n.id, { x: left(n.x), y: top(n.y) }]));
    const { theme } = c;
    // in a narrow picture only the newest message has its bars
    const narrow = s.width < 480;
    const R = radius(s.width, [...place.values()]);
    const taken: Box[] = [...place.values()].map(({ x, y }) => ({ x: x - R, y: y - R, w: 2 * R, h: 2 * R }));
    const written: Box[] = [];
    const both = new Set(edges.map((e) => `${e.from}>${e.to}`));
    for (const e of edges) {
      const [a, b] = [place.get(e.from), place.get(e.to)];
      if (!a || !b) continue;
      const look = color(theme, e.role);
      const stroke = { stroke: look.stroke, width: e.role && e.role !== "plain" ? 2.75 : 1.75, ...(look.dash ? { dash: look.dash } : {}) };
      if (e.from === e.to) {
        s.path(`M${a.x - 9},${a.y - R + 3}c-16,-34 34,-34 18,0`, stroke);
        if (e.label && free(e.label, () => [a.x, a.y - R - 26], written)) s.text(e.label, a.x, a.y - R - 26, { size: 11.5, fill: theme.ink, anchor: "middle", baseline: "middle", halo: theme.ground });
        continue;
      }
      const [dx, dy] = [b.x - a.x, b.y - a.y];
      const length = Math.hypot(dx, dy) || 1;
      const [ux, uy] = [dx / length, dy / length];
      const bend = e.directed !== false && both.has(`${e.to}>${e.from}`) ? 18 : 0;
      const [mx, my] = [(a.x + b.x) / 2 - uy * bend, (a.y + b.y) / 2 + ux * bend];
      const [ex, ey] = bend ? unit(b.x - mx, b.y - my) : [ux, uy];
      const [sx, sy] = bend ? unit(mx - a.x, my - a.y) : [ux, uy];
      const [x1, y1, x2, y2] = [a.x + sx * R, a.y + sy * R, b.x - ex * (R + 1), b.y - ey * (R + 1)];
      const head = e.directed === false ? 0 : 9;
      s.path(`M${x1},${y1}Q${mx},${my} ${x2 - ex * head},${y2 - ey * head}`, stroke);
      if (head) s.path(`M${x2},${y2}L${x2 - ex * 11 - ey * 5.5},${y2 - ey * 11 + ex * 5.5}L${x2 - ex * 11 + ey * 5.5},${y2 - ey * 11 - ex * 5.5}Z`, { fill: look.stroke });
      if (e.label) {
        const spot = free(e.label, (t) => along(t, [x1, y1], [mx, my], [x2, y2]), written);
        if (spot) s.text(e.label, spot[0], spot[1], { size: 11.5, fill: theme.ink, anchor: "middle", baseline: "middle", halo: theme.ground });
      }
      if (e.bars?.length && (!narrow || e.role === "active")) taken.push(miniBars(s, theme, e.bars, mx - 16, my - e.bars.length * 7, 34));
    }
    for (const n of nodes) {
      const { x, y } = place.get(n.id)!;
      const own = n.shaded ? color(theme, "observed").fill : typeof n.k === "number" ? blend(theme.ground, classColor(theme, n.k), 0.35) : null;
      const look = { ...color(theme, n.role), ...(own ? { fill: own } : {}) };
      const frame = { fill: look.fill, stroke: look.stroke, width: look.width, ...(look.dash ? { dash: look.dash } : {}) };
      if (n.square) s.rect(x - R * 0.8, y - R * 0.8, R * 1.6, R * 1.6, frame, 3);
      else s.circle(x, y, R, frame);
      if (n.share) s.circle(x, y, R * Math.sqrt(clamp(n.share, 0, 1)), { fill: theme.accent, alpha: 0.45 });
      if (picked === n.id) s.circle(x, y, R + 5, { stroke: theme.accent, width: 2, dash: [3, 3] });
      const text = n.label ?? n.id;
      const inside = text.length <= (R < 17 ? 3 : 5);
      s.text(text, x, inside ? y : y - R - 6, { size: inside && R > 16 ? 13 : 12, weight: 600, fill: theme.ink, anchor: "middle", baseline: inside ? "middle" : "bottom", ...(inside ? {} : { halo: theme.ground }) });
      if (n.value !== undefined && n.value !== null) s.text(c.show(n.value, 3), x, inside ? y + R + 5 : y, { size: 11, fill: inside ? theme.soft : theme.ink, anchor: "middle", baseline: inside ? "top" : "middle" });
      if (!n.bars?.length) continue;
      const box = barsOf(n.bars, { x, y }, R, n.value !== undefined && inside ? 14 : 0, taken, s);
      taken.push(miniBars(s, theme, n.bars, box.x + barLabels(n.bars), box.y + 4, 50));
    }
    const unplace = (px: number, py: number): [number, number] => [
      Math.round(clamp((px - side) / (s.width - 2 * side), 0, 1) * 1000) / 1000,
      Math.round(clamp((py - above) / (s.height - above - 32 - tall), 0, 1) * 1000) / 1000,
    ];
    return { handles: handles(c, nodes, place, unplace, R), ...adding(c, unplace), hits: { x: nodes.map((n) => place.get(n.id)!.x), y: nodes.map((n) => place.get(n.id)!.y), reach: R, tip: (i) => nodes[i]!.label ?? nodes[i]!.id } };
  },
  table(c) {
    const { nodes, edges } = parts(c);
    return {
      columns: [c.say("shell.column.node"), c.say("shell.column.role"), c.say("shell.column.to")],
      rows: nodes.map((n) => [n.label ?? n.id, n.role ?? "plain", edges.filter((e) => e.from === n.id).map((e) => nodes.find((m) => m.id === e.to)?.label ?? e.to).join(", ")]),
    };
  },
};

type Point = [number, number];

/** A point of the arc from a to b that is bent towards m. */
function along(t: number, a: Point, m: Point, b: Point): Point {
  const at = (k: 0 | 1): number => (1 - t) ** 2 * a[k] + 2 * t * (1 - t) * m[k] + t ** 2 * b[k];
  return [at(0), at(1)];
}

/** Where the label of an edge writes over no other: in the middle of it, or further along; null where there is no such place. */
function free(label: string, spot: (t: number) => Point, written: Box[]): Point | null {
  for (const t of [0.5, 0.36, 0.64, 0.24, 0.76]) {
    const [x, y] = spot(t);
    const w = label.length * 6.2;
    const box = { x: x - w / 2, y: y - 6, w, h: 12 };
    if (written.some((other) => overlap(box, other) > 0)) continue;
    written.push(box);
    return [x, y];
  }
  return null;
}

function unit(dx: number, dy: number): [number, number] {
  const length = Math.hypot(dx, dy) || 1;
  return [dx / length, dy / length];
}

/** The next value of a node's control: a choice turns to the next, a text names the node, a matrix or list turns the node on and off. */
function cycle(c: Context, pick: Control, { id, states }: Node, index: number): void {
  const now = c.state[pick.name];
  if (pick.kind === "text" && (c.view.append as string[] | undefined)?.includes(pick.name)) return c.actions.change({ [pick.name]: `${String(now ?? "")} ${id}`.trim() });
  if (pick.kind === "text" && states) return c.actions.change({ [pick.name]: nextState(String(now ?? ""), id, states, one(c, pick)) });
  if (pick.kind === "choice") {
    const choices = pick.choices ?? [];
    c.actions.change({ [pick.name]: choices.includes(id) ? id : choices[(choices.indexOf(now as string) + 1) % choices.length] });
  } else if (pick.kind === "number" || pick.kind === "slider") c.actions.change({ [pick.name]: index });
  else if (pick.kind === "text") {
    if (one(c, pick)) return c.actions.change({ [pick.name]: id });
    const set = new Set(String(now ?? "").split(/[ ,]+/).filter(Boolean));
    if (!set.delete(id)) set.add(id);
    c.actions.change({ [pick.name]: [...set].join(" ") });
  } else if (pick.kind === "matrix" && Array.isArray(now)) {
    // one row per node (or one row for all): each press goes to the next whole number of the control's domain
    const [low, high] = [pick.min ?? 0, pick.max ?? 1];
    const next = (v: number): number => (v + 1 > high ? low : v + 1);
    const rows = now as number[][];
    c.actions.change({ [pick.name]: rows.length === 1 ? [rows[0]!.map((v, j) => (j === index ? next(v) : v))] : rows.map((row, i) => (i === index ? [next(row[0]!), ...row.slice(1)] : row)) });
  }
}

const one = (c: Context, pick: Control): boolean => ((c.view.one as string[] | undefined) ?? []).includes(pick.name);

/** Words `node=state`, in the order in which nodes were pressed: the node's next state, none after the last unless there is one word only. */
function nextState(text: string, id: string, states: string[], only: boolean): string {
  const held = text.split(/[ ,]+/).filter(Boolean);
  const at = held.findIndex((word) => word.startsWith(`${id}=`));
  const now = at < 0 ? -1 : states.indexOf(held[at]!.slice(id.length + 1));
  if (only) return `${id}=${states[(now + 1) % states.length]!}`;
  const next = now + 1 < states.length ? [`${id}=${states[now + 1]!}`] : [];
  return (at < 0 ? [...held, ...next] : [...held.slice(0, at), ...next, ...held.slice(at + 1)]).join(" ");
}

function changed(c: Context, next: Drawn): void {
  const own = control(c, "own");
  c.actions.dragged();
  c.actions.change({ [control(c, "edit")!.name]: next, ...(own ? { [own.name]: "own" } : {}) });
}

/** A press on the ground adds a node, where presses draw arcs. */
function adding(c: Context, unplace: (x: number, y: number) => [number, number]): { grab?: (x: number, y: number) => Grab } {
  const held = heldGraph(c);
  if (!c.live || !held || !c.view.grow || picks(c) || held.nodes.length >= (control(c, "edit")!.most ?? 26)) return {};
  const free = [..."abcdefghijklmnopqrstuvwxyz"].find((name) => !held.nodes.includes(name));
  const add = (to: [number, number]): void => changed(c, { ...held, nodes: [...held.nodes, free!], at: [...held.at, to] });
  return free ? { grab: (x, y) => ({ move: () => undefined, up: (moved) => void (moved || add(unplace(x, y))) }) } : {};
}

function without(held: Drawn, i: number): Drawn {
  const name = held.nodes[i]!;
  return { nodes: held.nodes.filter((_, j) => j !== i), at: held.at.filter((_, j) => j !== i), arcs: held.arcs.filter((arc) => !arc.includes(name)) };
}

function handles(c: Context, nodes: Node[], place: Map<string, { x: number; y: number }>, unplace: (x: number, y: number) => [number, number], R: number): Handle[] {
  const held = heldGraph(c);
  if (!c.live || (!c.view.pick && !held)) return [];
  const pick = picks(c);
  const change = (next: Drawn): void => changed(c, next);
  const move = (i: number, to: [number, number]): void => change({ ...held!, at: held!.at.map((old, j) => (j === i ? to : old)) });
  // two presses draw an arc, a second time turn it, a third time take it away; where arcs may go both ways or none, the second takes it away
  const join = (from: string, to: string): void => {
    const both = control(c, "edit")!.acyclic === false;
    const has = held!.arcs.some(([a, b]) => a === from && b === to);
    const back = held!.arcs.some(([a, b]) => a === to && b === from);
    const turned = !both && back;
    const rest = held!.arcs.filter(([a, b]) => !(a === from && b === to) && (both || !(a === to && b === from)));
    if (c.view.undirected) change({ ...held!, arcs: has || back ? rest : [...rest, [from, to]] });
    else change({ ...held!, arcs: has && !both ? [...rest, [to, from]] : turned || has ? rest : [...rest, [from, to]] });
  };
  return nodes.map((n, index) => {
    const { x, y } = place.get(n.id)!;
    const i = held?.nodes.indexOf(n.id) ?? -1;
    const at = held?.at?.[i];
    return {
      key: `node-${n.id}`,
      x,
      y,
      r: R + 2,
      label: c.say("shell.node", { name: n.label ?? n.id, role: c.say(`shell.role.${n.role ?? "plain"}`) }),
      press: () => {
        if (pick) return cycle(c, pick, n, index);
        if (!held) return;
        if (picked === null) picked = n.id;
        else {
          if (picked !== n.id) join(picked, n.id);
          picked = null;
        }
        c.actions.cursor.value++;
      },
      ...(at && c.view.grow && held!.nodes.length > 1 ? { remove: () => change(without(held!, i)) } : {}),
      ...(at
        ? {
            drag: (px: number, py: number) => move(i, unplace(px, py)),
            nudge: (dx: number, dy: number) => move(i, [Math.round(clamp(at[0] + dx, 0, 1) * 1000) / 1000, Math.round(clamp(at[1] - dy, 0, 1) * 1000) / 1000]),
          }
        : {}),
    };
  });
}
