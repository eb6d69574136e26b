// A grid world: cells that can be painted, values as colours, arrows of the policy, four triangles of Q.
import { blend, inkOn, rgb, scaleColor } from "../marks/palette";
import { extent } from "../marks/axes";
import { clamp, type Context, control, type Drawer, type Drawing, type Grab, given, type Handle, json, matrix, numbers, sizes, value } from "./context";

interface Cell {
  r: number;
  c: number;
  kind: string;
  text?: string;
}

const KINDS = ["free", "wall", "exit", "start", "cliff"];
const BLANK = { free: ".", wall: "#", exit: "+", start: "S", cliff: "-" } as Record<string, string>;

function count(c: Context): [number, number] {
  const cells = json<Cell[]>(c, "cells") ?? [];
  const [h, w] = sizes(c, "values");
  const rows = value(c, "rows") ?? (h || Math.max(0, ...cells.map((cell) => cell.r + 1)));
  const cols = value(c, "cols") ?? (w || Math.max(0, ...cells.map((cell) => cell.c + 1)));
  return [rows || 1, cols || 1];
}

const TURN = ["M0,-7L5,3H-5Z", "M7,0L-3,5V-5Z", "M0,7L5,-3H-5Z", "M-7,0L3,5V-5Z"];

function moved(d: string, x: number, y: number, scale: number): string {
  const points: [number, number][] = { 0: [[0, -7], [5, 3], [-5, 3]], 1: [[7, 0], [-3, 5], [-3, -5]], 2: [[0, 7], [5, -3], [-5, -3]], 3: [[-7, 0], [3, 5], [3, -5]] }[TURN.indexOf(d)] as [number, number][];
  return `M${points.map(([a, b]) => `${x + a * scale},${y + b * scale}`).join("L")}Z`;
}

export const drawer: Drawer = {
  height(c, width, main) {
    const [rows, cols] = count(c);
    return Math.round(clamp((Math.min(width, 620) / cols) * rows, 160, main ? 540 : 320));
  },
  draw(s, c): Drawing {
    const [rows, cols] = count(c);
    const side = Math.min((s.width - 4) / cols, (s.height - 4) / rows);
    const [left, top] = [(s.width - side * cols) / 2, (s.height - side * rows) / 2];
    const cells = json<Cell[]>(c, "cells") ?? [];
    const kind = new Map(cells.map((cell) => [cell.r * cols + cell.c, cell]));
    const values = numbers(c, "values");
    const q = matrix(c, "q");
    const flatQ = numbers(c, "q");
    const open = (i: number): boolean => !["wall"].includes(kind.get(i)?.kind ?? "free");
    const shown = Array.from({ length: rows * cols }, (_, i) => i).filter(open);
    const [low, high] = extent(given(c, "q") ? [flatQ] : [shown.map((i) => values[i] ?? NaN)]);
    const far = Math.max(Math.abs(low), Math.abs(high)) || 1;
    const mixed = low < 0 && high > 0;
    const share = (v: number): number => (mixed ? 0.5 + v / far / 2 : high === low ? 0.5 : (v - low) / (high - low));
    const tone = (v: number): string => scaleColor(c.theme, mixed ? share(v) : share(v) * 0.75, mixed);
    const arrows = numbers(c, "arrows");
    // values of actions stand left and right in one line: as many digits as let both in
    const widest = (d: number): number => Math.max(0, ...Array.from(flatQ, (v) => (Number.isFinite(v) ? c.show(v, d).length : 0)));
    const digits = [2, 1].find((d) => 2 * widest(d) * 5.3 + 12 < side) ?? 0;
    for (let r = 0; r < rows; r++)
      for (let k = 0; k < cols; k++) {
        const i = r * cols + k;
        const [x, y] = [left + k * side, top + r * side];
        const cell = kind.get(i);
        const what = cell?.kind ?? "free";
        let ground = what === "wall" ? blend(c.theme.soft, c.theme.ground, 0.25) : given(c, "values") && Number.isFinite(values[i] ?? NaN) ? tone(values[i]!) : c.theme.faint;
        if (what === "cliff") ground = blend(c.theme.ground, c.theme.bad, 0.45);
        s.rect(x + 1, y + 1, side - 2, side - 2, { fill: ground }, 4);
        if (given(c, "q") && what !== "wall" && what !== "exit" && what !== "cliff" && q.length) {
          const four = Array.from({ length: 4 }, (_, a) => flatQ[i * 4 + a]!);
          const [cx, cy] = [x + side / 2, y + side / 2];
          const corners = [[x + 1, y + 1], [x + side - 1, y + 1], [x + side - 1, y + side - 1], [x + 1, y + side - 1]] as const;
          four.forEach((v, a) => {
            const [p1, p2] = [corners[a]!, corners[(a + 1) % 4]!];
            const color = tone(v);
            s.path(`M${cx},${cy}L${p1[0]},${p1[1]}L${p2[0]},${p2[1]}Z`, { fill: color, stroke: c.theme.ground, width: 0.75 });
            if (digits) s.text(c.show(v, digits), cx + [0, side / 2 - 3, 0, 3 - side / 2][a]!, cy + [-0.34, 0, 0.34, 0][a]! * side, { size: 9.5, fill: inkOn(color), anchor: (["middle", "end", "middle", "start"] as const)[a]!, baseline: "middle" });
          });
        } else if (given(c, "values") && what !== "wall" && Number.isFinite(values[i] ?? NaN) && side > 34) {
          s.text(c.show(values[i], 3), x + side / 2, y + side * (arrows.length ? 0.72 : 0.5), { size: clamp(side / 5, 9.5, 14), fill: inkOn(ground), anchor: "middle", baseline: "middle" });
        }
        const action = arrows[i] ?? -1;
        if (action >= 0 && what !== "wall" && what !== "exit") s.path(moved(TURN[action]!, x + side / 2, y + side * (given(c, "values") && side > 34 ? 0.36 : 0.5), clamp(side / 44, 0.6, 1.5)), { fill: rgb(ground) ? inkOn(ground) : c.theme.ink });
        if (what === "exit") s.rect(x + 4.5, y + 4.5, side - 9, side - 9, { stroke: inkOn(ground), width: 1.75 }, 3);
        const letter = cell?.text ?? (what === "start" ? "S" : "");
        if (letter) s.text(letter, x + 8, y + 8, { size: clamp(side / 5, 9.5, 13), weight: 700, fill: inkOn(ground), baseline: "top" });
        if (what === "agent") s.circle(x + side / 2, y + side / 2, side * 0.24, { fill: c.theme.classes[1]!, stroke: c.theme.ink, width: 2 });
      }
    for (const [r, k] of json<[number, number][]>(c, "marked") ?? []) s.rect(left + k * side + 2, top + r * side + 2, side - 4, side - 4, { stroke: c.theme.ink, width: 2.75 }, 4);
    const at = (px: number, py: number): [number, number] | null => {
      const [k, r] = [Math.floor((px - left) / side), Math.floor((py - top) / side)];
      return r >= 0 && k >= 0 && r < rows && k < cols ? [r, k] : null;
    };
    return {
      ...painting(c, rows, cols, kind, at, (r, k) => [left + (k + 0.5) * side, top + (r + 0.5) * side], side),
      tipAt(px, py) {
        const found = at(px, py);
        if (!found) return null;
        const i = found[0] * cols + found[1];
        const what = kind.get(i)?.kind ?? "free";
        const lines = [`${found[0] + 1}, ${found[1] + 1}: ${c.say(`shell.cell_kind.${what}`)}`];
        if (Number.isFinite(values[i] ?? NaN)) lines.push(c.show(values[i], 6));
        if (q[i]?.every(Number.isFinite)) lines.push(["↑", "→", "↓", "←"].map((to, a) => `${to} ${c.show(q[i]![a], 4)}`).join("  "));
        return { text: lines.join("\n") };
      },
    };
  },
  table(c) {
    const [rows, cols] = count(c);
    const values = numbers(c, "values");
    return { columns: ["", ...Array.from({ length: cols }, (_, k) => String(k + 1))], rows: Array.from({ length: rows }, (_, r) => [r + 1, ...Array.from({ length: cols }, (_, k) => values[r * cols + k] ?? null)]) };
  },
};

/** Painting: a press turns a cell to its next kind, in whichever form the control keeps the map. */
function painting(c: Context, rows: number, cols: number, kind: Map<number, Cell>, at: (x: number, y: number) => [number, number] | null, center: (r: number, k: number) => [number, number], side: number): Pick<Drawing, "handles" | "grab"> {
  const edit = control(c, "edit");
  if (!edit || !c.live) return {};
  // nothing painted yet: painting begins with the map on show
  const now = c.state[edit.name] ?? json(c, "codes");
  const turn = (r: number, k: number, forced?: unknown): unknown => {
    c.actions.dragged();
    if (typeof now === "string") {
      const lines = now.split("\n").map((line) => line.padEnd(cols, ".").split(""));
      const old = kind.get(r * cols + k)?.kind ?? "free";
      const next = (forced as string) ?? BLANK[KINDS[(KINDS.indexOf(old) + 1) % KINDS.length]!]!;
      lines[r]![k] = next;
      c.actions.change({ [edit.name]: lines.map((line) => line.join("")).join("\n") });
      return next;
    }
    if (!Array.isArray(now)) return undefined;
    const list = now as unknown[][];
    const old = list[r]?.[k];
    const next = forced ?? (typeof old === "number" ? (old + 1 > (edit.max ?? 1) ? (edit.min ?? 0) : old + 1) : (KINDS[(KINDS.indexOf(String(old)) + 1) % KINDS.length] ?? "wall"));
    c.actions.change({ [edit.name]: list.map((row, i) => (i === r ? row.map((v, j) => (j === k ? next : v)) : row)) });
    return next;
  };
  const grab = (x: number, y: number): Grab | null => {
    const first = at(x, y);
    if (!first) return null;
    const brush = turn(...first);
    let last = first.join();
    return {
      move: (px, py) => {
        const here = at(px, py);
        if (here && here.join() !== last) {
          last = here.join();
          turn(here[0], here[1], brush);
        }
      },
    };
  };
  const i = Math.max(0, Math.min(rows * cols - 1, c.actions.cursor.value));
  const [r, k] = [Math.floor(i / cols), i % cols];
  const [x, y] = center(r, k);
  const handle: Handle = {
    key: "cell",
    x,
    y,
    r: Math.min(16, side / 2.4),
    label: c.say("shell.grid_cell", { row: r + 1, column: k + 1, kind: c.say(`shell.cell_kind.${kind.get(i)?.kind ?? "free"}`) }),
    nudge: (dx, dy) => {
      const [nr, nk] = [clamp(r - Math.sign(dy), 0, rows - 1), clamp(k + Math.sign(dx), 0, cols - 1)];
      c.actions.cursor.value = nr * cols + nk;
    },
    press: () => void turn(r, k),
  };
  return { handles: [handle], grab };
}
