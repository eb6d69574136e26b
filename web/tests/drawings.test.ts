// What views do where they are pressed and dragged, and where numbers have no place.
import { describe, expect, it } from "vitest";
import { LIGHT } from "../src/marks/palette";
import type { Control, Scene, State, Unpacked } from "../src/protocol/types";
import { SvgSurface } from "../src/surface/svg";
import { drawer as bars } from "../src/views/bars";
import type { Context } from "../src/views/context";
import { drawer as curve } from "../src/views/curve";
import { drawer as grid } from "../src/views/grid";
import { drawer as tree } from "../src/views/tree";

const arrays = (given: Record<string, unknown>): Record<string, Unpacked> => Object.fromEntries(Object.entries(given).map(([name, json]) => [name, { json }]));

/** A page that shows one view, and notes what is changed. */
function page(view: Record<string, unknown>, shown: Record<string, unknown>, controls: Partial<Control>[] = [], state: State = {}, frames: Record<string, number | null>[] = [{}]): { context: Context; changed: State[] } {
  const changed: State[] = [];
  const all = frames.map((values, n) => ({ n, part: "", values, arrays: arrays(shown), say: null }));
  const context = {
    view,
    scene: { name: "test", controls, points: null, parts: [] } as unknown as Scene,
    words: "scene.test",
    state,
    frame: all.at(-1)!,
    before: null,
    frames: all,
    at: all.length - 1,
    mix: 1,
    head: {},
    handles: {},
    theme: LIGHT,
    lang: "en",
    hover: null,
    live: true,
    actions: { change: (values: State) => changed.push(values), dragged: () => undefined, go: () => undefined, addClass: () => 0, cursor: { value: 0 } },
    say: (key: string) => key,
    show: (v: unknown) => String(v),
  } as unknown as Context;
  return { context, changed };
}

describe("a grid", () => {
  const cells = [{ r: 0, c: 0, kind: "free" }, { r: 0, c: 1, kind: "wall" }];
  const painted: Partial<Control> = { name: "painted", kind: "matrix", min: 0, max: 5 };
  const view = { id: "grid", kind: "grid", rows: "h", cols: "w", cells: "cells", codes: "codes", edit: "painted" };
  const shown = { cells, codes: [[0, 1]] };

  it("is painted from the map on show where nothing was painted", () => {
    const { context, changed } = page(view, shown, [painted], { painted: null, h: 1, w: 2 });
    grid.draw(new SvgSurface(200, 100), context).handles![0]!.press!();
    expect(changed).toEqual([{ painted: [[1, 1]] }]);
  });

  it("is painted on from what was painted, and begins anew after the last kind", () => {
    const { context, changed } = page(view, shown, [painted], { painted: [[5, 2]], h: 1, w: 2 });
    grid.draw(new SvgSurface(200, 100), context).handles![0]!.press!();
    expect(changed).toEqual([{ painted: [[0, 2]] }]);
  });
});

describe("bars", () => {
  const yours: Partial<Control> = { name: "yours", kind: "text", max_length: 3 };
  const view = { id: "bars", kind: "bars", values: "values", pick: "yours" };

  it("write the number of the one that is pressed behind those before", () => {
    const { context, changed } = page(view, { values: [0.5, 0, 1] }, [yours], { yours: "21" });
    bars.draw(new SvgSurface(300, 200), context).handles![2]!.press!();
    expect(changed).toEqual([{ yours: "213" }]);
  });

  it("write no more than the text may hold, and nothing without a control", () => {
    const { context, changed } = page(view, { values: [1] }, [yours], { yours: "111" });
    bars.draw(new SvgSurface(300, 200), context).handles![0]!.press!();
    expect(changed).toEqual([{ yours: "111" }]);
    expect(bars.draw(new SvgSurface(300, 200), page({ ...view, pick: undefined }, { values: [1] }).context).handles).toEqual([]);
  });
});

describe("a curve of powers", () => {
  it("leaves out what is not positive, and its axis reaches no further than the others", () => {
    const frames = [{ e: 0 }, { e: 1 }, { e: 0.01 }, { e: 0 }];
    const { context } = page({ id: "curve", kind: "curve", series: [{ value: "e", label: "value.e" }], log_y: true }, {}, [], {}, frames);
    const surface = new SvgSurface(300, 200);
    curve.draw(surface, context);
    const heights = [...surface.file("#fff", "#000", "", "").matchAll(/<circle cx="[^"]*" cy="([^"]*)"/g)].map((found) => Number(found[1]));
    expect(Math.min(...heights)).toBeLessThan(30);
    expect(Math.max(...heights)).toBeGreaterThan(150);
  });
});

describe("a dendrogram", () => {
  it("is as high as its cut", () => {
    const nodes = [{ id: 0, parent: 2, height: 0 }, { id: 1, parent: 2, height: 0 }, { id: 2, parent: null, height: 1 }];
    const cut: Partial<Control> = { name: "cut", kind: "slider", min: 0, max: 20 };
    const { context } = page({ id: "tree", kind: "tree", nodes: "nodes", form: "dendrogram", cut: "line", drag: "cut" }, { nodes }, [cut], {}, [{ line: 5 }]);
    const { y } = tree.draw(new SvgSurface(300, 200), context).handles![0]!;
    expect(y).toBeGreaterThan(12);
    expect(y).toBeLessThan(188);
  });
});
