import { describe, expect, it } from "vitest";
import { extent, linear, logarithmic, padded } from "../src/marks/axes";
import { classMap, levelMap, upsideDown } from "../src/marks/maps";
import { blend, DARK, hex, inkOn, LIGHT, mixShares, rgb, scaleColor, type Theme } from "../src/marks/palette";
import { outline, SHAPES } from "../src/surface/surface";
import { SvgSurface } from "../src/surface/svg";
import { robust } from "../src/views/curve";

function luminance(color: string): number {
  const [r, g, b] = rgb(color).map((v) => ((v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
const contrast = (a: string, b: string): number => (Math.max(luminance(a), luminance(b)) + 0.05) / (Math.min(luminance(a), luminance(b)) + 0.05);

describe.each([["light", LIGHT], ["dark", DARK]] as [string, Theme][])("the %s theme", (_, theme) => {
  it("can be read: text at 4.5:1, marks apart from their ground", () => {
    for (const ink of [theme.ink, theme.soft, theme.accent, theme.good, theme.bad]) expect(contrast(ink, theme.ground)).toBeGreaterThanOrEqual(4.5);
    for (const color of theme.classes) expect(contrast(color, theme.ground)).toBeGreaterThan(2);
  });

  it("writes on any colour of its scales with 4.5:1", () => {
    for (const diverging of [false, true])
      for (let t = 0; t <= 1; t += 0.05) {
        const color = scaleColor(theme, t, diverging);
        expect(contrast(color, inkOn(color)), `${diverging} ${t}`).toBeGreaterThanOrEqual(4);
      }
  });
});

describe("colours", () => {
  it("go there and back, and blend between", () => {
    expect(hex(rgb("#0072b2"))).toBe("#0072b2");
    expect(blend("#000000", "#ffffff", 0.5)).toBe("#808080");
  });

  it("mix by shares: all of one class is that class, to a sixteenth", () => {
    const pure = rgb(mixShares(LIGHT, [0, 255], 0, 2));
    rgb(LIGHT.classes[1]!).forEach((v, i) => expect(Math.abs(v - pure[i]!)).toBeLessThanOrEqual(9));
  });
});

describe("scales", () => {
  it("span what is finite", () => {
    expect(extent([[3, NaN, -1], [Infinity, 2]])).toEqual([-1, 3]);
    expect(extent([[]])).toEqual([0, 1]);
    expect(padded([2, 2])[0]).toBeLessThan(2);
  });

  it("map ends to ends, and logarithms never to zero", () => {
    expect(linear([0, 10], [5, 25])(5)).toBe(15);
    expect(logarithmic([1, 100], [0, 2])(10)).toBeCloseTo(1, 12);
    expect(Number.isFinite(logarithmic([0, 100], [0, 2])(1))).toBe(true);
  });

  it("cut a start that is orders away, and nothing else", () => {
    expect(robust([9000, 20, 15, 12, 11, 10]).cut).toBe(1);
    expect(robust([30, 20, 15, 12, 11, 10]).cut).toBe(0);
    expect(robust([9000, 20]).cut).toBe(0);
  });
});

describe("maps", () => {
  it("put the lowest row of the data at the foot of the picture", () => {
    expect(Array.from(upsideDown([1, 2, 3, 4], 2, 2))).toEqual([3, 4, 1, 2]);
  });

  it("draw each class in its own tint away from borders", () => {
    const data = Uint8Array.from({ length: 64 * 64 }, (_, i) => (i % 64 < 32 ? 0 : 1));
    const { rgba, w } = classMap(LIGHT, data, 64, 64);
    const at = (x: number): number[] => Array.from(rgba.slice((100 * w + x) * 4, (100 * w + x) * 4 + 3));
    const tint = (k: number): number[] => rgb(LIGHT.classes[k]!).map((v) => Math.round(255 + (v - 255) * 0.2));
    at(10).forEach((v, i) => expect(Math.abs(v - tint(0)[i]!)).toBeLessThanOrEqual(1));
    at(245).forEach((v, i) => expect(Math.abs(v - tint(1)[i]!)).toBeLessThanOrEqual(1));
  });

  it("are the ground at the middle of a diverging scale", () => {
    const { rgba } = levelMap(LIGHT, Uint8Array.of(0, 128, 255), 3, 1, true);
    expect(rgba[4]).toBeGreaterThan(250);
    expect(rgba[0]).toBeLessThan(200);
  });
});

describe("the surface of files", () => {
  it("draws every shape as a closed path", () => {
    for (let kind = 0; kind < SHAPES; kind++) expect(outline(kind, 10, 10, 4)).toMatch(/^M.*Z$/);
    expect(outline(SHAPES, 1, 1, 1)).toBe(outline(0, 1, 1, 1));
  });

  it("breaks a line where a number is missing, and escapes texts", () => {
    const s = new SvgSurface(100, 50);
    s.polyline([0, 1, 2, 3], [0, NaN, 2, 3], { stroke: "#000000" });
    s.text('<script>"&', 5, 5, {});
    const file = s.file("#ffffff", "#000000", "a < b", "caption");
    expect(file).toContain("M0,0M2,2L3,3");
    expect(file).not.toContain("<script>");
    expect(file).toContain("<title>a &#60; b</title>");
  });
});
