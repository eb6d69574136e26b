// Maps of the plane: a small grid of classes or levels as a calm picture.
import { classColor, rgb, type Theme } from "./palette";

export interface Raster {
  rgba: Uint8ClampedArray;
  w: number;
  h: number;
}

const FINER = 4;
const PASSES = 4;
const MOST_BITS = 30;
const made = new WeakMap<object, Map<string, Raster>>();

function once(data: object, key: string, make: () => Raster): Raster {
  let kept = made.get(data);
  if (!kept) made.set(data, (kept = new Map()));
  let raster = kept.get(key);
  if (!raster) kept.set(key, (raster = make()));
  return raster;
}

/** `PASSES` passes of the weights 1 2 1 in both directions, edges repeated; `other` is room of the same size. */
function soften(values: Float32Array, other: Float32Array, w: number, h: number): void {
  for (let pass = 0; pass < PASSES; pass++) {
    for (let row = 0; row < w * h; row += w) {
      const end = row + w - 1;
      other[row] = (3 * values[row]! + values[Math.min(row + 1, end)]!) / 4;
      for (let at = row + 1; at < end; at++) other[at] = (values[at - 1]! + 2 * values[at]! + values[at + 1]!) / 4;
      if (end > row) other[end] = (values[end - 1]! + 3 * values[end]!) / 4;
    }
    for (let i = 0; i < h; i++) {
      const [above, row, below] = [Math.max(0, i - 1) * w, i * w, Math.min(h - 1, i + 1) * w];
      for (let j = 0; j < w; j++) values[row + j] = (other[above + j]! + 2 * other[row + j]! + other[below + j]!) / 4;
    }
  }
}

/** Regions of classes; borders are smoothed to a quarter of a cell, so that sixty-four cells do not look like stairs. */
export function classMap(theme: Theme, data: ArrayLike<number> & object, w: number, h: number): Raster {
  return once(data, `c${theme.dark}`, () => {
    let k = 0;
    for (let i = 0; i < data.length; i++) if (data[i]! < 250 && data[i]! >= k) k = data[i]! + 1;
    const room = new Float32Array(w * h);
    const layers = Array.from({ length: k }, (_, c) => {
      const layer = new Float32Array(w * h);
      let some = false;
      for (let i = 0; i < layer.length; i++) if (data[i] === c) [layer[i], some] = [1, true];
      if (some) soften(layer, room, w, h);
      return layer;
    });
    const [W, H] = [w * FINER, h * FINER];
    const rgba = new Uint8ClampedArray(W * H * 4);
    const tint = theme.dark ? 0.3 : 0.2;
    const ground = rgb(theme.ground);
    const colors = layers.map((_, c) => rgb(classColor(theme, c)).map((v, i) => ground[i]! + (v - ground[i]!) * tint));
    const words = new Uint32Array(rgba.buffer);
    const solid = colors.map((color) => new Uint32Array(Uint8ClampedArray.of(color[0]!, color[1]!, color[2]!, 255).buffer)[0]!);
    const sure = new Int16Array(w * h).fill(-1);
    // the classes that reach a cell: the first thirty-one each by a bit, all others by one
    const reached = new Int32Array(w * h);
    for (let c = 0; c < k; c++) {
      const [layer, bit] = [layers[c]!, 1 << Math.min(c, MOST_BITS)];
      for (let i = 0; i < layer.length; i++) {
        if (layer[i]! > 0.98) sure[i] = c;
        if (layer[i]! > 0) reached[i]! |= bit;
      }
    }
    for (let i = 0; i < H; i++) {
      const v = Math.max(0, Math.min(h - 1, (i + 0.5) / FINER - 0.5));
      const [a, p] = [Math.floor(v), v - Math.floor(v)];
      const b = Math.min(h - 1, a + 1);
      for (let j = 0; j < W; j++) {
        const u = Math.max(0, Math.min(w - 1, (j + 0.5) / FINER - 0.5));
        const [l, q] = [Math.floor(u), u - Math.floor(u)];
        const r = Math.min(w - 1, l + 1);
        // far from a border all four neighbours are of one class: nothing to weigh
        const pure = sure[a * w + l]!;
        if (pure >= 0 && pure === sure[a * w + r] && pure === sure[b * w + l] && pure === sure[b * w + r]) {
          words[i * W + j] = solid[pure]!;
          continue;
        }
        let [best, bestAt, second, secondAt] = [-1, 0, -1, 0];
        const near = reached[a * w + l]! | reached[a * w + r]! | reached[b * w + l]! | reached[b * w + r]!;
        for (let c = 0; c < k; c++) {
          if (!(near & (1 << Math.min(c, MOST_BITS)))) continue;
          const layer = layers[c]!;
          const share = (layer[a * w + l]! * (1 - q) + layer[a * w + r]! * q) * (1 - p) + (layer[b * w + l]! * (1 - q) + layer[b * w + r]! * q) * p;
          if (share > best) [second, secondAt, best, bestAt] = [best, bestAt, share, c];
          else if (share > second) [second, secondAt] = [share, c];
        }
        const at = (i * W + j) * 4;
        // the last of the way between two regions is shared: an edge without teeth
        const edge = Math.max(0, Math.min(1, 0.5 + (best - second) / 0.07));
        for (let n = 0; n < 3; n++) rgba[at + n] = k ? colors[bestAt]![n]! * edge + (colors[secondAt] ?? colors[bestAt]!)[n]! * (1 - edge) : ground[n]!;
        rgba[at + 3] = 255;
      }
    }
    return { rgba, w: W, h: H };
  });
}

/** Levels 0..255: from the ground to one colour, or from class 0 over the ground to class 1. */
export function levelMap(theme: Theme, data: ArrayLike<number> & object, w: number, h: number, diverging: boolean): Raster {
  return once(data, `l${theme.dark}${diverging}`, () => {
    const ground = rgb(theme.ground);
    const [low, high] = [rgb(classColor(theme, 0)), rgb(classColor(theme, diverging ? 1 : 0))];
    const strong = theme.dark ? 0.55 : 0.45;
    const table = Array.from({ length: 256 }, (_, v) => {
      const t = v / 255;
      const share = diverging ? Math.abs(t - 0.5) * 2 * strong : t * 0.6;
      const color = diverging && t < 0.5 ? low : high;
      return [0, 1, 2].map((i) => ground[i]! + (color[i]! - ground[i]!) * share);
    });
    const rgba = new Uint8ClampedArray(w * h * 4);
    for (let i = 0; i < w * h; i++) {
      const color = table[Math.max(0, Math.min(255, Math.round(data[i]!)))]!;
      rgba.set([color[0]!, color[1]!, color[2]!, 255], i * 4);
    }
    return { rgba, w, h };
  });
}

/** Rows of a picture from above, when the data count from below. */
export function upsideDown(data: ArrayLike<number>, w: number, h: number): Uint8Array {
  const out = new Uint8Array(w * h);
  for (let i = 0; i < h; i++) for (let j = 0; j < w; j++) out[(h - 1 - i) * w + j] = data[i * w + j]!;
  return out;
}
