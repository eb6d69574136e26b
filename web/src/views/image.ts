// Pictures: one, or a strip of several; a picture may be drawn upon.
import { flat, shape } from "../protocol/arrays";
import { rgb } from "../marks/palette";
import { bound, clamp, type Context, control, type Drawer, type Drawing, type Grab, labels } from "./context";

interface Sheet {
  count: number;
  h: number;
  w: number;
  colors: 1 | 3;
  data: ArrayLike<number>;
}

function sheet(c: Context): Sheet {
  const found = bound(c, "pixels");
  const data = flat(found);
  const s = shape(found);
  if (s.length === 2) return { count: 1, h: s[0]!, w: s[1]!, colors: 1, data };
  if (s.length === 4) return { count: s[0]!, h: s[1]!, w: s[2]!, colors: 3, data };
  // a strip of pictures three pixels wide is no picture of three colours where the view says so
  return s[2] === 3 && !c.view.gray ? { count: 1, h: s[0]!, w: s[1]!, colors: 3, data } : { count: s[0] ?? 0, h: s[1] ?? 1, w: s[2] ?? 1, colors: 1, data };
}

function columns({ count, w, h }: Sheet, width: number): number {
  if (count <= 1) return 1;
  const most = Math.min(count, Math.max(1, Math.floor(width / clamp((64 * w) / h, 44, 150))));
  return Math.ceil(count / Math.ceil(count / most));
}

const kept = new WeakMap<object, Map<string, Uint8ClampedArray>>();

function pixels(c: Context, { data, h, w, colors }: Sheet, n: number): Uint8ClampedArray {
  const key = `${n} ${c.theme.dark}`;
  let byKey = kept.get(data);
  if (!byKey) kept.set(data, (byKey = new Map()));
  let out = byKey.get(key);
  if (out) return out;
  out = new Uint8ClampedArray(h * w * 4);
  const [ground, ink] = [rgb(c.theme.ground), rgb(c.theme.ink)];
  for (let i = 0; i < h * w; i++) {
    for (let k = 0; k < 3; k++) {
      const v = colors === 3 ? data[(n * h * w + i) * 3 + k]! : data[n * h * w + i]!;
      out[i * 4 + k] = colors === 3 ? v : ground[k]! + ((ink[k]! - ground[k]!) * v) / 255;
    }
    out[i * 4 + 3] = 255;
  }
  byKey.set(key, out);
  return out;
}

export const drawer: Drawer = {
  height(c, width, main) {
    const one = sheet(c);
    if (one.count <= 1) return Math.round(clamp((Math.min(width, main ? 420 : 300) * one.h) / one.w, 80, main ? 480 : 300));
    const across = columns(one, width);
    return Math.round(clamp(((width / across - 6) * one.h) / one.w + (labels(c, "labels").length ? 20 : 6), 30, 200) * Math.ceil(one.count / across));
  },
  draw(s, c): Drawing {
    const one = sheet(c);
    if (!one.data.length) return {};
    const across = columns(one, s.width);
    const down = Math.ceil(one.count / across);
    const names = labels(c, "labels");
    const below = names.length ? 20 : 0;
    const scale = Math.min((s.width / across - 6) / one.w, (s.height / down - 6 - below) / one.h);
    const [W, H] = [one.w * scale, one.h * scale];
    const place = (n: number): [number, number] => [(s.width / across) * ((n % across) + 0.5) - W / 2, (s.height / down) * Math.floor(n / across) + 3];
    for (let n = 0; n < one.count; n++) {
      const [x, y] = place(n);
      s.picture(pixels(c, one, n), one.w, one.h, x, y, W, H, false);
      s.rect(x - 0.5, y - 0.5, W + 1, H + 1, { stroke: c.hover === n ? c.theme.accent : c.theme.line, width: c.hover === n ? 2 : 1 });
      if (names[n] !== undefined) s.text(names[n]!, x + W / 2, y + H + 4, { size: 11, fill: c.theme.soft, anchor: "middle", baseline: "top" });
    }
    const brush = control(c, "draw");
    return {
      ...(brush && c.live ? { grab: (x: number, y: number, event: PointerEvent) => drawing(c, brush.name, one, ([px, py]) => [Math.floor((py - place(0)[1]) / scale), Math.floor((px - place(0)[0]) / scale)], x, y, event.altKey) } : {}),
      tipAt(px, py) {
        if (one.count <= 1) return null;
        for (let n = 0; n < one.count; n++) {
          const [x, y] = place(n);
          if (px >= x && px <= x + W && py >= y && py <= y + H) return { text: names[n] ?? String(n + 1), index: n };
        }
        return null;
      },
    };
  },
  table(c) {
    const { h, w, data } = sheet(c);
    return { columns: ["", ...Array.from({ length: w }, (_, j) => String(j + 1))], rows: Array.from({ length: h }, (_, i) => [i + 1, ...Array.from({ length: w }, (_, j) => data[i * w + j] ?? null)]) };
  },
};

/** A soft brush on a matrix of 0..max; with Alt it wipes. */
function drawing(c: Context, name: string, one: Sheet, cell: (p: [number, number]) => [number, number], x: number, y: number, wipe: boolean): Grab {
  const now = c.state[name] as number[][] | null;
  const top = c.scene.controls.find((k) => k.name === name)?.max ?? 255;
  const rows = Array.isArray(now) && now.length === one.h ? now.map((row) => [...row]) : Array.from({ length: one.h }, (_, i) => Array.from({ length: one.w }, (_, j) => Math.round(((one.data[i * one.w + j] ?? 0) / 255) * top * 1000) / 1000));
  const dab = (px: number, py: number): void => {
    const [r, k] = cell([px, py]);
    for (let i = r - 1; i <= r + 1; i++)
      for (let j = k - 1; j <= k + 1; j++) {
        if (i < 0 || j < 0 || i >= one.h || j >= one.w) continue;
        const weight = i === r && j === k ? 1 : i === r || j === k ? 0.55 : 0.2;
        rows[i]![j] = wipe ? Math.min(rows[i]![j]!, Math.round(top * (1 - weight))) : Math.max(rows[i]![j]!, Math.round(top * weight * 1000) / 1000);
      }
    c.actions.dragged();
    c.actions.change({ [name]: rows.map((row) => [...row]) });
  };
  dab(x, y);
  return { move: dab };
}
