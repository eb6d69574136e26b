// A matrix as colours, with its numbers where there is room.
import { extent } from "../marks/axes";
import { inkOn, rgb, scaleSteps, type Theme } from "../marks/palette";
import { clamp, type Context, type Drawer, json, labels, matrix } from "./context";

function domain(c: Context, values: number[][]): [number, number] {
  const set = json<[number, number]>(c, "domain");
  if (set) return set;
  const [low, high] = extent(values);
  if (!c.view.diverging) return [Math.min(low, high), high === low ? low + 1 : high];
  const far = Math.max(Math.abs(low), Math.abs(high)) || 1;
  return [-far, far];
}

interface Layout {
  x: number;
  y: number;
  cell: number;
  tall: number;
}

function layout(c: Context, width: number, height: number, h: number, w: number): Layout {
  const rowWords = labels(c, "rows");
  const left = rowWords.length ? clamp(Math.max(...rowWords.map((t) => t.length)) * 6.4 + 12, 24, width * 0.36) : 14;
  const top = labels(c, "columns").length ? 26 : 8;
  const cell = Math.min((width - left - 14) / Math.max(1, w), 76);
  return { x: left + Math.max(0, (width - left - 14 - cell * w) / 2), y: top, cell, tall: Math.min((height - top - 10) / Math.max(1, h), Math.max(cell, 26)) };
}

/** The place of a value among the steps of a scale; -1 where there is none. */
function step(v: number, low: number, high: number, steps: number): number {
  const t = (v - low) / (high - low);
  return Number.isFinite(t) ? Math.round(clamp(t, 0, 1) * (steps - 1)) : -1;
}

/** Cells too small for a gap between them, as one picture of a pixel each. */
function pixels(theme: Theme, values: number[][], low: number, high: number, colors: readonly string[]): Uint8ClampedArray {
  const [found, none] = [colors.map(rgb), rgb(theme.faint)];
  const rgba = new Uint8ClampedArray(4 * values.length * (values[0]?.length ?? 0));
  values.flat().forEach((v, i) => rgba.set([...(found[step(v, low, high, found.length)] ?? none), 255], 4 * i));
  return rgba;
}

export const drawer: Drawer = {
  height(c, width, main) {
    const values = matrix(c, "values");
    const cell = Math.min((width - 40) / Math.max(1, values[0]?.length ?? 1), 76);
    return Math.round(clamp(Math.max(values.length * Math.min(cell, 46), values.length <= 12 ? values.length * 28 : 0) + 40, 90, main ? 520 : 340));
  },
  draw(s, c) {
    const values = matrix(c, "values");
    const [h, w] = [values.length, values[0]?.length ?? 0];
    const [low, high] = domain(c, values);
    const { x, y, cell, tall } = layout(c, s.width, s.height, h, w);
    const gap = cell > 9 && tall > 9 ? 1 : 0;
    const text = (c.view.text ?? (cell > 34 && tall > 18)) && cell > 22;
    const colors = scaleSteps(c.theme, Boolean(c.view.diverging));
    if (!gap && !text) s.picture(pixels(c.theme, values, low, high, colors), w, h, x, y, w * cell, h * tall, false);
    else values.forEach((row, i) =>
      row.forEach((v, j) => {
        const color = colors[step(v, low, high, colors.length)] ?? c.theme.faint;
        s.rect(x + j * cell, y + i * tall, cell - gap, tall - gap, { fill: color }, gap ? 2 : 0);
        if (text) s.text(c.show(v, 3), x + (j + 0.5) * cell, y + (i + 0.5) * tall, { size: clamp(cell / 4.4, 9.5, 12.5), fill: inkOn(color), anchor: "middle", baseline: "middle" });
      }),
    );
    for (const [i, j] of json<[number, number][]>(c, "marked") ?? []) s.rect(x + j * cell, y + i * tall, cell - gap, tall - gap, { stroke: c.theme.ink, width: 2 }, 2);
    const rowWords = labels(c, "rows");
    const everyRow = Math.ceil(13 / tall);
    rowWords.forEach((t, i) => i % everyRow === 0 && s.text(t, x - 7, y + (i + 0.5) * tall, { size: 11.5, fill: c.theme.soft, anchor: "end", baseline: "middle" }));
    const columnWords = labels(c, "columns");
    const every = Math.max(1, Math.ceil((Math.max(...columnWords.map((t) => t.length), 1) * 6.4) / cell));
    columnWords.forEach((t, j) => j % every === 0 && s.text(t, x + (j + 0.5) * cell, y - 7, { size: 11.5, fill: c.theme.soft, anchor: "middle", baseline: "bottom" }));
    if (c.hover !== null && c.hover < h) s.rect(x - 1, y + c.hover * tall - 1, cell * w + 1, tall + 1, { stroke: c.theme.accent, width: 1.75 }, 2);
    return {
      tipAt(px, py) {
        const [j, i] = [Math.floor((px - x) / cell), Math.floor((py - y) / tall)];
        if (i < 0 || j < 0 || i >= h || j >= w) return null;
        return { text: `${rowWords[i] ?? i + 1} · ${columnWords[j] ?? j + 1}: ${c.show(values[i]![j], 6)}`, index: i };
      },
    };
  },
  table(c) {
    const values = matrix(c, "values");
    const [rowWords, columnWords] = [labels(c, "rows"), labels(c, "columns")];
    return { columns: ["", ...(values[0] ?? []).map((_, j) => columnWords[j] ?? String(j + 1))], rows: values.map((row, i) => [rowWords[i] ?? String(i + 1), ...row]) };
  },
};
