// One page with every kind of view over fixed data: for looking at, and for the browser's tests.
// usage: node gallery.mjs OUT.html
import { readFileSync, writeFileSync } from "node:fs";

let seed = 7;
const random = () => ((seed = (seed * 1103515245 + 12345) & 0x7fffffff) / 0x7fffffff);
const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const pack = (t, shape, values) => {
  const kinds = { f4: Float32Array, f8: Float64Array, u1: Uint8Array, i4: Int32Array };
  return { t, s: shape, b: Buffer.from(new kinds[t](values).buffer).toString("base64") };
};
const j = (v) => ({ t: "json", v });

const n = 120;
const X = Array.from({ length: n }, (_, i) => [normal() * 0.7 + (i % 2 ? 1.4 : -1.4), normal() * 0.8 + (i % 2 ? 0.5 : -0.4)]);
const classes = X.map((_, i) => i % 2);
const level = [];
for (let r = 0; r < 64; r++) for (let c = 0; c < 64; c++) level.push(Math.round(255 / (1 + Math.exp(-2 * ((c / 63) * 8 - 4) - 1.1 * ((r / 63) * 6 - 3)))));
const xs = Array.from({ length: 60 }, (_, i) => i / 10);
const maps = Array.from({ length: 2 + 4 + 3 + 1 }, (_, u) => Array.from({ length: 256 }, (_, p) => Math.round(127.5 + 127 * Math.sin((p % 16) / (2 + u) + Math.floor(p / 16) / (5 - (u % 4)) + u)))).flat();
const weights = [[2, 4], [4, 3], [3, 1]].map(([a, b]) => Array.from({ length: a }, () => Array.from({ length: b }, () => normal())));
const digit = (k) => Array.from({ length: 64 }, (_, p) => Math.round(255 * Math.exp(-(((Math.hypot((p % 8) - 3.5, Math.floor(p / 8) - 3.5) - 1.2 - 0.35 * k) / 0.8) ** 2))));

const head = {
  points: pack("f4", [n, 2], X.flat()),
  classes: pack("i4", [n], classes),
  sizes: pack("f4", [n], X.map(() => random() ** 2)),
  level: pack("u1", [64, 64], level),
  extent: j([-4, 4, -3, 3]),
  lines: j([
    { p: [[-2, 3], [2.2, -3]], role: "now" },
    { p: [[-1.3, 3], [2.9, -3]], role: "margin" },
    { p: [[-2.8, 3], [1.4, -3]], role: "margin" },
    { p: [[-3, 3], [3, -2.4]], role: "before" },
    { p: [[0, 0], [1.3, 0.9]], role: "normal" },
  ]),
  ellipses: pack("f8", [2, 5], [-1.4, -0.4, 1.5, 1.2, 0.5, 1.4, 0.5, 1.7, 0.9, -0.4]),
  shares: pack("u1", [n, 2], X.flatMap(([x]) => { const p = 255 / (1 + Math.exp(-2 * x)); return [255 - p, p]; })),
  labels: j([[-3.2, 2.4, "A"]]),
  x: pack("f4", [60], xs),
  mean: pack("f4", [60], xs.map(Math.sin)),
  low: pack("f4", [60], xs.map((v) => Math.sin(v) - 0.2 - v / 12)),
  high: pack("f4", [60], xs.map((v) => Math.sin(v) + 0.2 + v / 12)),
  truth: pack("f4", [60], xs.map((v) => Math.sin(v) + 0.1 * Math.cos(3 * v))),
  levels: j([{ y: 1.2, label: "bound" }]),
  bars: pack("f8", [4], [0.62, 0.21, 0.11, 0.06]),
  barsLow: pack("f8", [4], [0.52, 0.15, 0.06, 0.02]),
  barsHigh: pack("f8", [4], [0.7, 0.29, 0.18, 0.12]),
  barNames: j(["Outlook", "Humidity", "Wind", "Temperature"]),
  groups: pack("f8", [2, 4], [0.3, 0.5, 0.9, 0.2, 0.4, 0.45, 0.7, 0.5]),
  groupNames: j(["train", "test"]),
  matrix: pack("f8", [4, 5], Array.from({ length: 20 }, () => normal())),
  rowNames: j(["w0", "w1", "w2", "w3"]),
  columnNames: j(["a", "b", "c", "d", "e"]),
  hot: j([[1, 2]]),
  columns: j(["Day", "Outlook", "Wind", "Gain"]),
  rows: j([["D1", "sunny", "weak", 0.2467], ["D2", "rain", "strong", 0.029], ["D3", "overcast", "weak", 1.5]]),
  second: j([1]),
  nodes: j([
    { id: "a", label: "A", x: 0.1, y: 0.15, role: "observed" },
    { id: "b", label: "B", x: 0.5, y: 0.1, role: "query", bars: [["yes", 0.7], ["no", 0.3]] },
    { id: "c", label: "C", x: 0.3, y: 0.75, role: "collider" },
    { id: "d", label: "Alarm clock", x: 0.85, y: 0.6, bars: [["on", 0.2], ["off", 0.8]] },
  ]),
  edges: j([
    { from: "a", to: "c", directed: true, role: "open" },
    { from: "b", to: "c", directed: true, role: "blocked" },
    { from: "b", to: "d", directed: true },
    { from: "d", to: "b", directed: true, label: "0.3" },
    { from: "a", to: "a", directed: true, label: "0.9" },
  ]),
  tree: j([
    { id: 0, parent: null, label: "x₁ ≤ 0.5", role: "active", value: 0.31 },
    { id: 1, parent: 0, label: "yes\n42 rows", role: "class0" },
    { id: 2, parent: 0, label: "x₂ ≤ 1.2", value: 0.12 },
    { id: 3, parent: 2, label: "no\n17", role: "class1" },
    { id: 4, parent: 2, label: "yes\n3", role: "class0" },
  ]),
  merges: j([
    ...[0, 1, 2, 3, 4, 5].map((i) => ({ id: i, parent: [6, 6, 7, 8, 8, 9][i], label: String(i), height: 0 })),
    { id: 6, parent: 7, height: 0.6, role: "class0" },
    { id: 7, parent: 9, height: 1.1, role: "class0" },
    { id: 8, parent: 10, height: 0.9, role: "class1" },
    { id: 9, parent: 10, height: 1.8, role: "active" },
    { id: 10, parent: null, height: 2.7 },
  ]),
  trellis: pack("f8", [8, 2], [0.5, 0.5, 0.6, 0.4, 0.7, 0.3, 0.8, 0.2, 0.4, 0.6, 0.2, 0.8, 0.3, 0.7, 0.5, 0.5]),
  states: j(["fair", "loaded"]),
  dice: j([3, 1, 5, 6, 6, 6, 2, 4]),
  pointers: j([1, 2, 3, 4, 5, 6, 7].flatMap((t) => [[t, 0, 0], [t, t > 3 ? 1 : 0, 1]])),
  path: pack("i4", [8], [0, 0, 0, 1, 1, 1, 0, 0]),
  cells: j([
    { r: 1, c: 1, kind: "wall" },
    { r: 0, c: 3, kind: "exit", text: "+1" },
    { r: 1, c: 3, kind: "exit", text: "−1" },
    { r: 2, c: 0, kind: "start" },
  ]),
  V: pack("f8", [3, 4], [0.81, 0.87, 0.92, 1, 0.76, 0, 0.66, -1, 0.71, 0.66, 0.61, 0.39]),
  policy: pack("i4", [3, 4], [1, 1, 1, -1, 0, -1, 0, -1, 0, 3, 3, 3]),
  Q: pack("f8", [3, 4, 4], Array.from({ length: 48 }, () => normal() / 2)),
  layers: j([2, 4, 3, 1]),
  weights: j(weights),
  maps: pack("u1", [10, 16, 16], maps),
  gradients: j([0.002, 0.02, 0.4]),
  unitNames: j(["x₁", "x₂", "", "", "", "", "", "", "", "y"]),
  digits: pack("u1", [8, 8, 8], Array.from({ length: 8 }, (_, k) => digit(k)).flat()),
  digitNames: j([0, 1, 2, 3, 4, 5, 6, 7].map(String)),
  middle: pack("f8", [40], Array.from({ length: 40 }, () => normal() * 0.4)),
};
const centers = Array.from(new Float64Array(new Uint8Array(Buffer.from(head.middle.b, "base64")).buffer));
head.left = pack("f8", [40], centers.map((m) => m - 0.8));
head.right = pack("f8", [40], centers.map((m) => m + 0.8));
head.hit = pack("u1", [40], centers.map((m) => (Math.abs(m) <= 0.8 ? 1 : 0)));

const math = '<math display="block"><mi>J</mi><mo>=</mo><munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover><msup><mrow><mo>‖</mo><msub><mi>x</mi><mi>i</mi></msub><mo>−</mo><msub><mi>μ</mi><mi>i</mi></msub><mo>‖</mo></mrow><mn>2</mn></msup></math>';
const views = [
  { kind: "plane", id: "plane", points: "points", classes: "classes", target: "classes", map: "level", map_kind: "level", map_extent: "extent", lines: "lines", crosses: "crosses", labels: "labels", linked: "points" },
  { kind: "plane", id: "mixture", points: "points", shares: "shares", target: "classes", ellipses: "ellipses", linked: "points" },
  { kind: "plane", id: "weights", points: "points", classes: "classes", target: "classes", sizes: "sizes", linked: "points" },
  { kind: "curve", id: "over-frames", series: [{ value: "J", label: "value.J" }] },
  { kind: "curve", id: "within", x: "x", series: [{ array: "mean", low: "low", high: "high", label: "value.mean" }, { array: "truth", label: "value.truth", role: "truth" }], levels: "levels", marker: "at" },
  { kind: "bars", id: "bars", values: "bars", low: "barsLow", high: "barsHigh", labels: "barNames", horizontal: true, marked: [0] },
  { kind: "bars", id: "groups", values: "bars", groups: "groups", group_labels: "groupNames", labels: "barNames" },
  { kind: "heat", id: "heat", values: "matrix", rows: "rowNames", columns: "columnNames", diverging: true, marked: "hot" },
  { kind: "table", id: "table", columns: "columns", rows: "rows", marked: "second" },
  { kind: "graph", id: "graph", nodes: "nodes", edges: "edges" },
  { kind: "tree", id: "tree", nodes: "tree" },
  { kind: "tree", id: "dendrogram", nodes: "merges", form: "dendrogram", cut: "cut" },
  { kind: "trellis", id: "trellis", values: "trellis", states: "states", observed: "dice", pointers: "pointers", path: "path", upto: "t", span: 2 },
  { kind: "grid", id: "grid", rows: "rows_", cols: "cols_", cells: "cells", values: "V", arrows: "policy", marked: [[0, 2]] },
  { kind: "grid", id: "q", rows: "rows_", cols: "cols_", cells: "cells", q: "Q" },
  { kind: "network", id: "network", layers: "layers", weights: "weights", maps: "maps", gradients: "gradients", labels: "unitNames" },
  { kind: "image", id: "image", pixels: "digits", labels: "digitNames" },
  { kind: "intervals", id: "intervals", middle: "middle", low: "left", high: "right", hit: "hit", truth: "zero" },
  { kind: "number", id: "J", value: "J", formula: math, digits: 6 },
];
const info = {
  name: "gallery", family: "judging", rows: [{ id: "000-c/18/kmeans", title: "K-means clustering" }], deep: false, limit: 1000, parts: [], rising: "down", views,
  controls: [
    { name: "k", kind: "slider", min: 1, max: 9, step: 1, integer: true, default: 3 },
    { name: "rule", kind: "choice", choices: ["a", "b"], default: "a" },
    { name: "averaged", kind: "toggle", default: true },
    { name: "seed", kind: "number", min: 0, max: 2147483647, integer: true, default: 0 },
  ],
  points: { kind: "classes", classes: 2, presets: ["blobs", "moons"], limit: 1000, n: { min: 10, max: 1000, default: n, integer: true, step: 10 }, noise: null, domain: [[-4, 4], [-3, 3]] },
};
const events = [["head", { v: 1, scene: "gallery", state: {}, digest: "0".repeat(64), novum: "0.0.0", frames: 9, arrays: head, scene_info: info }]];
for (let t = 0; t < 9; t++) {
  const crosses = [-1.4 - 1.2 * 0.6 ** t, -0.4 + 1.5 * 0.6 ** t, 1.4 + 0.9 * 0.6 ** t, 0.5 - 1.8 * 0.6 ** t];
  const arrays = { crosses: pack("f8", [2, 2], crosses) };
  events.push(["frame", { n: t, part: "", values: { J: t ? 180 + 90 * 0.55 ** t : 9000.25, at: 3, cut: 1.4, t: Math.min(7, t + 3), rows_: 3, cols_: 4, zero: 0 }, arrays, say: ["moved", { by: 90 * 0.55 ** t }], ms: t }]);
}
events.push(["end", { frames: 9, ms: 9, stopped: null, kept: "all" }]);

const out = process.argv[2];
const assets = new URL("../../src/novum/lab/", import.meta.url);
const own = Object.fromEntries(views.map((v) => [`scene.gallery.view.${v.id}`, `${v.kind}: ${v.id}`]));
const words = Object.fromEntries(["en", "it"].map((l) => [l, { ...JSON.parse(readFileSync(new URL(`words/${l}/shell.json`, assets), "utf8")), ...own, "scene.gallery.title": "Every kind of view", "scene.gallery.question": "How does each of them look over fixed data?", "scene.gallery.say.moved": "The crosses move; J falls by {by, number}.", "scene.gallery.try": "Step once, then look." }]));
const data = (id, value) => `<script type="application/json" id="${id}">${JSON.stringify(value).replaceAll("<", "\\u003c")}</script>`;
const meta = { frame: 3, lang: "en", python: 'from novum.cluster import KMeans  # the call\nmodel = KMeans(3, random_state=0).fit(X)\nprint(model.inertia_, "J")', command: "novum lab" };
writeFileSync(out, readFileSync(new URL("assets/offline.html", assets), "utf8").replace("<!--EVENTS-->", () => data("events", events) + data("words", words) + data("meta", meta)));
