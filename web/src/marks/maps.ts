// Maps of the plane: a small grid of classes or levels as a calm picture.
import { classColor, rgb, type Theme } from "./palette";

export interface Raster {
  rgba: Uint8ClampedArray;
  w: number;
  h: number;
}

const FINER = 4;
const PASSES = 4;
const made = new WeakMap<object, Map<string, Raster>>();

function once(data: object, key: string, make: () => Raster): Raster {
  let kept = made.get(data);
  if (!kept) made.set(data, (kept = new Map()));
  let raster = kept.get(key);
  if (!raster) kept.set(key, (raster = make()));
  return raster;
}

/** One pass of the weights 1 2 1 in both directions, edges repeated. */
function soften(values: Float32Array, w: number, h: number): Float32Array {
  const across = new Float32Array(values.length);
  for (let i = 0; i < h; i++)
    for (let j = 0; j < w; j++) {
      const row = i * w;
      across[row + j] = (values[row + Math.max(0, j - 1)]! + 2 * values[row + j]! + values[row + Math.min(w - 1, j + 1)]!) / 4;
    }
  const down = new Float32Array(values.length);
  for (let i = 0; i < h; i++)
    for (let j = 0; j < w; j++)
      down[i * w + j] = (across[Math.max(0, i - 1) * w + j]! + 2 * across[i * w + j]! + across[Math.min(h - 1, i + 1) * w + j]!) / 4;
  return down;
}

/** Regions of classes; borders are smoothed to a quarter of a cell, so that sixty-four cells do not look like stairs. */
export function classMap(theme: Theme, data: ArrayLike<number> & object, w: number, h: number): Raster {
  return once(data, `c${theme.dark}`, () => {
    let k = 0;
    for (let i = 0; i < data.length; i++) if (data[i]! < 250 && data[i]! >= k) k = data[i]! + 1;
    const layers = Array.from({ length: k }, (_, c) => {
      let layer = Float32Array.from(data, (v) => (v === c ? 1 : 0)) as Float32Array;
      for (let pass = 0; pass < PASSES; pass++) layer = soften(layer, w, h);
      return layer;
    });
    const [W, H] = [w * FINER, h * FINER];
    const rgba = new Uint8ClampedArray(W * H * 4);
    const tint = theme.dark ? 0.3 : 0.2;
    const ground = rgb(theme.ground);
    const colors = layers.map((_, c) => rgb(classColor(theme, c)).map((v, i) => ground[i]! + (v - ground[i]!) * tint));
    for (let i = 0; i < H; i++) {
      const v = Math.max(0, Math.min(h - 1, (i + 0.5) / FINER - 0.5));
      const [a, p] = [Math.floor(v), v - Math.floor(v)];
      const b = Math.min(h - 1, a + 1);
      for (let j = 0; j < W; j++) {
        const u = Math.max(0, Math.min(w - 1, (j + 0.5) / FINER - 0.5));
        const [l, q] = [Math.floor(u), u - Math.floor(u)];
        const r = Math.min(w - 1, l + 1);
        let [best, bestAt, second, secondAt] = [-1, 0, -1, 0];
        for (let c = 0; c < k; c++) {
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
