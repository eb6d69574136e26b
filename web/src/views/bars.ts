// Bars: lengths from a common zero, with intervals and groups where there are some.
import { axes, categories, extent, linear } from "../marks/axes";
import { classColor } from "../marks/palette";
import { clamp, type Context, control, type Drawer, given, type Handle, json, labels, matrix, numbers } from "./context";

function names(c: Context, n: number): string[] {
  const given = labels(c, "labels");
  return Array.from({ length: n }, (_, i) => given[i] ?? String(i + 1));
}

export const drawer: Drawer = {
  height: (c, width, main) => {
    const n = numbers(c, "values").length;
    return c.view.horizontal ? Math.round(clamp(n * 26 + 44, 120, 460)) : Math.round(clamp(width * 0.56, 160, main ? 420 : 250));
  },
  draw(s, c) {
    const grouped = given(c, "groups");
    const groups: ArrayLike<number>[] = grouped ? matrix(c, "groups") : [numbers(c, "values")];
    const n = groups[0]?.length ?? 0;
    const [low, high] = [numbers(c, "low"), numbers(c, "high")];
    const marked = new Set(Array.from(numbers(c, "marked")));
    const words = names(c, n);
    const groupNames = labels(c, "group_labels");
    const set = json<[number, number]>(c, "domain");
    const [a, b] = set ?? extent([...groups, low, high, [0]]);
    const domain: [number, number] = set ?? [a < 0 ? a - (b - a) * 0.06 : 0, b > 0 ? b + (b - a) * 0.06 : 0];
    const flat = Boolean(c.view.horizontal);
    const top = groupNames.length ? 30 : 12;
    const room = flat ? clamp(Math.max(...words.map((w) => w.length), 1) * 6.6 + 14, 30, s.width * 0.4) : 48;
    const box = { x: room, y: top, w: s.width - room - 16, h: s.height - top - 30 };
    const along = linear(domain, flat ? [box.x, box.x + box.w] : [box.y + box.h, box.y]);
    const band = (flat ? box.h : box.w) / Math.max(1, n);
    const thick = Math.min(44, (band * (grouped ? 0.78 : 0.64)) / groups.length);
    axes(s, c.theme, box, flat ? along : null, flat ? null : along, { lang: c.lang, grid: flat ? "none" : "y" });
    const centers: number[] = [];
    for (let i = 0; i < n; i++) {
      const middle = (flat ? box.y : box.x) + band * (i + 0.5);
      centers.push(middle);
      groups.forEach((values, g) => {
        const v = values[i]!;
        if (v === null || !Number.isFinite(v)) return;
        const start = middle - (thick * groups.length) / 2 + g * thick;
        const [from, to] = [along(0), along(v)];
        const color = grouped ? classColor(c.theme, g) : c.view.by_class ? classColor(c.theme, i) : c.theme.accent;
        const alpha = marked.size && !marked.has(i) ? 0.4 : 1;
        const thin = Math.max(1, thick - (grouped ? 1.5 : 0));
        if (flat) s.rect(Math.min(from, to), start, Math.abs(to - from), thin, { fill: color, alpha }, 2);
        else s.rect(start, Math.min(from, to), thin, Math.abs(to - from), { fill: color, alpha }, 2);
        if (!grouped && low.length && high.length) {
          const [l, h] = [along(low[i]!), along(high[i]!)];
          s.path(flat ? `M${l},${middle}H${h}M${l},${middle - 4}v8M${h},${middle - 4}v8` : `M${middle},${l}V${h}M${middle - 4},${l}h8M${middle - 4},${h}h8`, { stroke: c.theme.ink, width: 1.5 });
        }
      });
      if (c.hover === i) s.rect(flat ? box.x : middle - band / 2, flat ? middle - band / 2 : box.y, flat ? box.w : band, flat ? band : box.h, { stroke: c.theme.accent, width: 1.5 }, 3);
    }
    if (flat) words.forEach((w, i) => s.text(w, box.x - 8, centers[i]!, { size: 11.5, fill: c.theme.ink, anchor: "end", baseline: "middle", weight: marked.has(i) ? 600 : 400 }));
    else categories(s, c.theme, words, (i) => centers[i]!, box.y + box.h + 8, band);
    const zero = Math.round(along(0)) + 0.5;
    s.path(flat ? `M${zero},${box.y}v${box.h}` : `M${box.x},${zero}h${box.w}`, { stroke: c.theme.soft, width: 1 });
    let at = box.x;
    groupNames.forEach((name, g) => {
      s.rect(at, 9, 10, 10, { fill: classColor(c.theme, g) }, 2);
      s.text(name, at + 15, 14, { size: 11.5, fill: c.theme.soft, baseline: "middle" });
      at += 28 + name.length * 6.4;
    });
    // a press on a bar writes its number behind those of a text: the choices of a game
    const pick = control(c, "pick");
    const handles: Handle[] =
      pick?.kind === "text" && c.live
        ? centers.map((at, i) => ({
            key: `bar${i}`,
            x: flat ? box.x + 14 : at,
            y: flat ? at : box.y + box.h - 14,
            r: 14,
            label: c.say("shell.bar", { name: words[i] ?? i + 1 }),
            press: () => c.actions.change({ [pick.name]: (String(c.state[pick.name] ?? "") + String(i + 1)).slice(0, pick.max_length ?? 200) }),
          }))
        : [];
    return {
      handles,
      tipAt(px, py) {
        const i = Math.floor(((flat ? py - box.y : px - box.x) / band) | 0);
        if (i < 0 || i >= n || px < box.x - (flat ? room : 0) || py < box.y) return null;
        const lines = groups.map((values, g) => `${groupNames[g] ? `${groupNames[g]}: ` : `${words[i]}: `}${c.show(values[i], 6)}`);
        if (!grouped && low.length) lines.push(`${c.show(low[i])} … ${c.show(high[i])}`);
        return { text: grouped ? [words[i], ...lines].join("\n") : lines.join("\n"), index: i };
      },
    };
  },
  table(c) {
    const grouped = given(c, "groups");
    const groups: ArrayLike<number>[] = grouped ? matrix(c, "groups") : [numbers(c, "values")];
    const n = groups[0]?.length ?? 0;
    const groupNames = labels(c, "group_labels");
    const extra = ["low", "high"].filter((b) => given(c, b));
    return {
      columns: ["", ...groups.map((_, g) => groupNames[g] ?? c.say("shell.value_word")), ...extra.map((b) => c.say(`shell.column.${b}`))],
      rows: names(c, n).map((w, i) => [w, ...groups.map((values) => values[i] ?? null), ...extra.map((b) => numbers(c, b)[i] ?? null)]),
    };
  },
};
