// A network of units: lines as thick as the weights are large, units with the map of the plane they make.
import { levelMap, upsideDown } from "../marks/maps";
import { blend, classColor } from "../marks/palette";
import { flat, shape } from "../protocol/arrays";
import { bound, clamp, type Context, type Drawer, json, labels } from "./context";

interface Layout {
  x(l: number): number;
  y(l: number, u: number): number;
  size: number;
}

function layout(c: Context, layers: number[], width: number, height: number): Layout {
  const most = Math.max(...layers, 1);
  const size = clamp((height - 40) / most - 8, 12, 38);
  return { x: (l) => 40 + (l * (width - 80)) / Math.max(1, layers.length - 1), y: (l, u) => (height - 16) / 2 + (u - (layers[l]! - 1) / 2) * Math.min((height - 40) / most, size + 14), size };
}

export const drawer: Drawer = {
  height: (c, _, main) => Math.round(clamp(Math.max(...(json<number[]>(c, "layers") ?? [3])) * 44 + 50, 180, main ? 460 : 340)),
  draw(s, c) {
    const layers = json<number[]>(c, "layers") ?? [];
    const weights = json<number[][][]>(c, "weights") ?? [];
    const gradients = json<number[]>(c, "gradients");
    const { x, y, size } = layout(c, layers, s.width, s.height);
    const largest = Math.max(1e-9, ...weights.flat(2).map(Math.abs));
    weights.forEach((matrix, l) =>
      matrix.forEach((row, i) =>
        row.forEach((w, j) => {
          const strength = Math.abs(w) / largest;
          if (strength < 0.015) return;
          const [x1, y1, x2, y2] = [x(l) + size / 2, y(l, i), x(l + 1) - size / 2, y(l + 1, j)];
          s.path(`M${x1},${y1}C${(x1 + x2) / 2},${y1} ${(x1 + x2) / 2},${y2} ${x2},${y2}`, { stroke: classColor(c.theme, w < 0 ? 0 : 5), width: 0.5 + 4.5 * strength, alpha: 0.25 + 0.6 * strength, ...(w < 0 ? { dash: [6, 3] } : {}) });
        }),
      ),
    );
    const maps = bound(c, "maps");
    const data = flat(maps);
    const [units = 0, h = 16, w = 16] = shape(maps);
    const names = labels(c, "labels");
    const total = layers.reduce((a, b) => a + b, 0);
    // maps come for all units, or for those behind the inputs
    const skip = units === total ? 0 : units ? (layers[0] ?? 0) : 0;
    let unit = 0;
    const spots: { x: number; y: number; text: string }[] = [];
    layers.forEach((n, l) => {
      for (let u = 0; u < n; u++, unit++) {
        const [cx, cy] = [x(l), y(l, u)];
        s.rect(cx - size / 2, cy - size / 2, size, size, { fill: c.theme.ground }, 5);
        const m = unit - skip;
        if (m >= 0 && m < units) {
          const part = upsideDown((data as Uint8Array).subarray ? (data as Uint8Array).subarray(m * h * w, (m + 1) * h * w) : Array.from(data).slice(m * h * w, (m + 1) * h * w), w, h);
          const raster = levelMap(c.theme, part, w, h, true);
          s.picture(raster.rgba, w, h, cx - size / 2 + 1, cy - size / 2 + 1, size - 2, size - 2, true);
        }
        s.rect(cx - size / 2, cy - size / 2, size, size, { stroke: blend(c.theme.ink, c.theme.ground, 0.35), width: 1.5 }, 5);
        const name = names[unit];
        if (name && (l === 0 || l === layers.length - 1)) s.text(name, l === 0 ? cx - size / 2 - 6 : cx + size / 2 + 6, cy, { size: 11.5, fill: c.theme.ink, anchor: l === 0 ? "end" : "start", baseline: "middle" });
        spots.push({ x: cx, y: cy, text: name ?? `${l + 1}.${u + 1}` });
      }
    });
    if (gradients?.length) {
      const top = Math.max(...gradients.map(Math.abs), 1e-300);
      gradients.forEach((g, l) => {
        const middle = (x(l) + x(Math.min(l + 1, layers.length - 1))) / 2;
        const room = ((s.width - 80) / Math.max(1, layers.length - 1)) * 0.7;
        s.rect(middle - room / 2, s.height - 12, room, 4, { fill: c.theme.faint }, 2);
        s.rect(middle - room / 2, s.height - 12, Math.max(1, (room * Math.abs(g)) / top), 4, { fill: c.theme.accent }, 2);
        s.text(c.show(g, 2), middle, s.height - 15, { size: 10.5, fill: c.theme.soft, anchor: "middle", baseline: "bottom", halo: c.theme.ground });
      });
    }
    return { hits: { x: spots.map((p) => p.x), y: spots.map((p) => p.y), reach: size / 2 + 2, tip: (i) => spots[i]!.text } };
  },
  table(c) {
    const weights = json<number[][][]>(c, "weights") ?? [];
    return { columns: [c.say("shell.column.layer"), c.say("shell.column.from"), c.say("shell.column.to"), c.say("shell.column.weight")], rows: weights.flatMap((matrix, l) => matrix.flatMap((row, i) => row.map((w, j) => [l + 1, i + 1, j + 1, w]))) };
  },
};
