// Intervals side by side, those that miss the truth in the colour of a miss.
import { axes, extent, linear, padded } from "../marks/axes";
import { clamp, type Drawer, given, labels, numbers, value } from "./context";

export const drawer: Drawer = {
  height: (c, _, main) => {
    const n = numbers(c, "middle").length;
    return Math.round(clamp(n * (labels(c, "labels").length ? 24 : 5) + 50, 130, main ? 560 : 360));
  },
  draw(s, c) {
    const [middle, low, high, hit] = [numbers(c, "middle"), numbers(c, "low"), numbers(c, "high"), numbers(c, "hit")];
    const n = middle.length;
    const truth = value(c, "truth");
    const names = labels(c, "labels");
    const room = names.length ? clamp(Math.max(...names.map((t) => t.length)) * 6.4 + 14, 30, s.width * 0.5) : 16;
    const most = Math.floor((room - 14) / 6.4); // letters that there is room for: a name that is cut says so
    const box = { x: room, y: 8, w: s.width - room - 16, h: s.height - 40 };
    const x = linear(padded(extent([low, high, truth === null ? [] : [truth]])), [box.x, box.x + box.w]);
    const step = box.h / Math.max(1, n);
    axes(s, c.theme, box, x, null, { lang: c.lang, grid: "none" });
    if (truth !== null) s.path(`M${x(truth)},${box.y}v${box.h}`, { stroke: c.theme.ink, width: 1.5, dash: [6, 4] });
    for (let i = 0; i < n; i++) {
      const y = box.y + step * (i + 0.5);
      const missed = given(c, "hit") && !hit[i];
      const color = missed ? c.theme.bad : c.theme.accent;
      const thick = clamp(step * 0.4, 1, 3);
      if (Number.isFinite(low[i]!)) s.path(`M${x(low[i]!)},${y}H${x(high[i]!)}`, { stroke: color, width: c.hover === i ? thick + 2 : thick, alpha: missed || n < 30 ? 1 : 0.6 });
      if (Number.isFinite(middle[i]!)) {
        if (missed) s.mark(3, x(middle[i]!), y, clamp(step * 0.5, 1.8, 4.5), { fill: color });
        else s.circle(x(middle[i]!), y, clamp(step * 0.42, 1.3, 4), { fill: color });
      }
      if (names[i] && step > 11) s.text(names[i]!.length > most + 1 ? `${names[i]!.slice(0, Math.max(1, most - 1))}…` : names[i]!, box.x - 8, y, { size: 11.5, fill: c.theme.ink, anchor: "end", baseline: "middle" });
    }
    return {
      tipAt(px, py) {
        const i = Math.floor((py - box.y) / step);
        if (i < 0 || i >= n || px < 0) return null;
        return { text: `${names[i] ?? i + 1}: ${c.show(middle[i], 5)}\n${c.show(low[i])} … ${c.show(high[i])}`, index: i };
      },
    };
  },
  table(c) {
    const [middle, low, high, hit] = [numbers(c, "middle"), numbers(c, "low"), numbers(c, "high"), numbers(c, "hit")];
    const names = labels(c, "labels");
    return {
      columns: ["#", c.say("shell.column.middle"), c.say("shell.column.low"), c.say("shell.column.high"), ...(hit.length ? [c.say("shell.column.hit")] : [])],
      rows: Array.from(middle, (m, i) => [names[i] ?? i + 1, m, low[i]!, high[i]!, ...(hit.length ? [hit[i]!] : [])]),
    };
  },
};
