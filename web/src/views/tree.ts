// A tree from its root, or a dendrogram over its leaves with a cut that can be dragged.
import { hierarchy, type HierarchyPointNode, stratify, tree as tidy } from "d3-hierarchy";
import { linear } from "../marks/axes";
import { blend, classColor } from "../marks/palette";
import { clamp, type Context, control, type Drawer, type Handle, json, round, value, word } from "./context";

interface Node {
  id: string | number;
  parent: string | number | null;
  label?: string;
  role?: string;
  value?: number;
  height?: number;
}

const nodesOf = (c: Context): Node[] => json<Node[]>(c, "nodes") ?? [];

function grown(nodes: Node[]): HierarchyPointNode<Node> | null {
  const roots = nodes.filter((n) => n.parent === null || n.parent === undefined);
  if (!roots.length) return null;
  const list: Node[] = roots.length > 1 ? [{ id: "\u0000", parent: null, role: "hidden", height: Math.max(...roots.map((r) => r.height ?? 0)) }, ...nodes.map((n) => (n.parent === null ? { ...n, parent: "\u0000" } : n))] : nodes;
  const root = stratify<Node>()
    .id((n) => String(n.id))
    .parentId((n) => (n.parent === null ? null : String(n.parent)))(list);
  return tidy<Node>()(hierarchy(root, (n) => n.children).copy() as never) as unknown as HierarchyPointNode<Node>;
}

const nodeOf = (n: HierarchyPointNode<Node>): Node => ("data" in (n.data as object) ? (n.data as unknown as { data: Node }).data : n.data);

export const drawer: Drawer = {
  height: (c, width, main) => {
    const nodes = nodesOf(c);
    const depth = grown(nodes)?.height ?? 1;
    return isDendrogram(c) ? Math.round(clamp(width * 0.6, 220, main ? 480 : 320)) : Math.round(clamp((depth + 1) * 66 + 30, 130, main ? 560 : 420));
  },
  draw(s, c) {
    const root = grown(nodesOf(c));
    if (!root) return {};
    return isDendrogram(c) ? dendrogram(root) : tidyTree(root);

    function tidyTree(top: HierarchyPointNode<Node>): ReturnType<Drawer["draw"]> {
      const leaves = top.leaves().length;
      const room = (s.width - 32) / Math.max(1, leaves);
      // leaves share the width evenly: labels get the most room that there is
      let next = 0;
      top.eachAfter((n) => (n.x = n.children ? (n.children[0]!.x + n.children.at(-1)!.x) / 2 : 16 + room * (next++ + 0.5)));
      const step = (s.height - 50) / Math.max(1, top.height);
      top.each((n) => (n.y = 24 + n.depth * step));
      const all = top.descendants().filter((n) => nodeOf(n).role !== "hidden");
      for (const n of all) {
        if (!n.parent || nodeOf(n.parent).role === "hidden") continue;
        const active = ["active", "open"].includes(nodeOf(n).role ?? "");
        s.path(`M${n.parent.x},${n.parent.y}C${n.parent.x},${(n.parent.y + n.y) / 2} ${n.x},${(n.parent.y + n.y) / 2} ${n.x},${n.y}`, { stroke: active ? c.theme.accent : c.theme.soft, width: active ? 2.25 : 1.25, alpha: nodeOf(n).role === "removed" ? 0.35 : 1 });
      }
      for (const n of all) {
        const { label = "", role, value: v } = nodeOf(n);
        const words = label.split("\n");
        const lines = v === undefined || v === null ? words : [...words, c.show(v, 3)];
        const size = clamp(room / 7, 9.5, 12);
        const longest = Math.max(...lines.map((l) => l.length), 1);
        const fits = n.children ? true : longest * size * 0.56 < room + 14;
        const w = Math.min(longest * size * 0.58 + 16, n.children ? 190 : room + 6);
        const h = lines.length * (size + 3) + 8;
        const cls = /^class(\d+)$/.exec(role ?? "");
        const fill = cls ? blend(c.theme.ground, classColor(c.theme, Number(cls[1])), 0.28) : c.theme.ground;
        const edge = role === "active" || role === "added" ? c.theme.accent : role === "removed" ? c.theme.bad : c.theme.line;
        if (!fits && !n.children) s.circle(n.x, n.y, clamp(room / 2.6, 2.5, 7), { fill: cls ? classColor(c.theme, Number(cls[1])) : c.theme.soft });
        else {
          s.rect(n.x - w / 2, n.y - h / 2, w, h, { fill, stroke: edge, width: role === "active" ? 2.25 : 1.25, ...(role === "removed" ? { dash: [4, 3] } : {}) }, 6);
          lines.forEach((line, i) => s.text(line, n.x, n.y + (i - (lines.length - 1) / 2) * (size + 3), { size, fill: c.theme.ink, anchor: "middle", baseline: "middle", ...(role === "active" ? { weight: 600 } : {}), ...(i >= words.length ? { fill: c.theme.soft, weight: 400 } : {}) }));
        }
      }
      return { hits: { x: all.map((n) => n.x), y: all.map((n) => n.y), reach: 16, tip: (i) => [nodeOf(all[i]!).label, nodeOf(all[i]!).value === undefined ? "" : c.show(nodeOf(all[i]!).value, 6)].filter(Boolean).join("\n") } };
    }

    function dendrogram(top: HierarchyPointNode<Node>): ReturnType<Drawer["draw"]> {
      const leaves = top.leaves();
      const cut = value(c, "cut");
      const highest = Math.max(...top.descendants().map((n) => nodeOf(n).height ?? 0), cut ?? 0, 1e-12);
      const names = leaves.length <= s.width / 18;
      const y = linear([0, highest * 1.05], [s.height - (names ? 26 : 12), 12]);
      const room = (s.width - 58) / Math.max(1, leaves.length);
      leaves.forEach((leaf, i) => (leaf.x = 46 + room * (i + 0.5)));
      top.eachAfter((n) => {
        if (n.children) n.x = n.children.reduce((sum, child) => sum + child.x, 0) / n.children.length;
        n.y = y(nodeOf(n).height ?? 0);
      });
      for (const v of y.ticks(4)) {
        s.path(`M46,${Math.round(y(v)) + 0.5}H${s.width - 12}`, { stroke: c.theme.line, width: 1 });
        s.text(c.show(v, 3), 40, y(v), { size: 11, fill: c.theme.soft, anchor: "end", baseline: "middle" });
      }
      for (const n of top.descendants()) {
        if (!n.children || nodeOf(n).role === "hidden") continue;
        const { role } = nodeOf(n);
        const cls = /^class(\d+)$/.exec(role ?? "");
        const color = role === "active" ? c.theme.accent : cls ? classColor(c.theme, Number(cls[1])) : c.theme.ink;
        const [a, b] = [n.children[0]!, n.children.at(-1)!];
        s.path(`M${a.x},${a.y}V${n.y}H${b.x}V${b.y}`, { stroke: color, width: role === "active" ? 3 : 1.5, alpha: role === "removed" ? 0.25 : 1 });
      }
      if (names) leaves.forEach((n) => s.text(nodeOf(n).label ?? String(nodeOf(n).id), n.x, s.height - 18, { size: 10.5, fill: c.theme.soft, anchor: "middle", baseline: "top" }));
      const handles: Handle[] = [];
      if (cut !== null) s.path(`M46,${y(cut)}H${s.width - 12}`, { stroke: c.theme.accent, width: 2, dash: [7, 5] });
      const drag = control(c, "drag");
      if (cut !== null && drag && c.live) {
        const put = (v: number): void => (c.actions.dragged(), c.actions.change({ [drag.name]: round(clamp(v, drag.min ?? 0, drag.max ?? highest * 1.05)) }));
        handles.push({
          key: "cut",
          x: (s.width + 34) / 2,
          y: y(cut),
          r: 12,
          shape: "down",
          length: s.width - 58,
          label: drag.title ?? word(c, `control.${drag.name}`),
          value: { now: cut, min: 0, max: round(highest), text: c.show(cut) },
          drag: (_, py) => put(y.invert(py)),
          nudge: (dx, dy) => put(cut + (dx + dy) * highest),
        });
      }
      return { handles, hits: { x: top.descendants().map((n) => n.x), y: top.descendants().map((n) => n.y), reach: 10, tip: (i) => `${nodeOf(top.descendants()[i]!).label ?? nodeOf(top.descendants()[i]!).id}: ${c.show(nodeOf(top.descendants()[i]!).height, 5)}` } };
    }
  },
  table(c) {
    return {
      columns: ["#", c.say("shell.column.parent"), c.say("shell.column.label"), c.say("shell.value_word")],
      rows: nodesOf(c).map((n) => [String(n.id), n.parent === null ? null : String(n.parent), (n.label ?? "").replaceAll("\n", " · "), n.value ?? n.height ?? null]),
    };
  },
};

/** The contract names the form `kind`, as the view's own kind is named: where it says so, or where nodes have heights. */
function isDendrogram(c: Context): boolean {
  if (c.view.form !== undefined) return c.view.form === "dendrogram";
  return nodesOf(c).some((n) => n.height !== undefined && n.height !== null);
}
