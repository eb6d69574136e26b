import { describe, expect, it } from "vitest";
import type { Scene } from "../src/protocol/types";
import { canonical, decode, defaults, difference, encode, known, read, same, write } from "../src/state/url";

const scene = {
  name: "kmeans",
  controls: [
    { name: "k", kind: "slider", default: 5, min: 1, max: 9, integer: true },
    { name: "centers", kind: "matrix", default: null, drag: "plane" },
    { name: "seed", kind: "number", default: 0 },
  ],
  points: { kind: "plain", classes: 0, presets: ["blobs"], limit: 5000, n: { min: 10, max: 5000, default: 300 }, noise: { min: 0, max: 1, default: 0.1 }, domain: [[-4, 4], [-3, 3]] },
} as unknown as Scene;

describe("the state in the address", () => {
  it("writes keys in one order and leaves out what is undefined", () => {
    expect(canonical({ b: [1, { d: 2, c: 3 }], a: undefined, e: null })).toBe('{"b":[1,{"c":3,"d":2}],"e":null}');
  });

  it("knows equal values whatever their order", () => {
    expect(same({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(true);
    expect(same([1, 2], [2, 1])).toBe(false);
  });

  it("keeps only what differs from the defaults", () => {
    expect(difference(scene, { ...defaults(scene), k: 3 })).toEqual({ k: 3 });
    expect(difference(scene, defaults(scene))).toEqual({});
  });

  it("goes there and back, with letters that an address may hold", async () => {
    const state = { k: 3, centers: [[0.125, -1.5], [2, 3.001]], points: { rows: Array.from({ length: 200 }, (_, i) => [i / 8, (1 - i) / 16]) } };
    const packed = await encode(state);
    expect(packed).toMatch(/^[\w-]+$/);
    expect(await decode(packed)).toEqual(state);
  });

  it("is deflate without a header, as any other reader expects", async () => {
    const { inflateRawSync } = await import("node:zlib" as string);
    const packed = (await encode({ seed: 7 })).replace(/-/g, "+").replace(/_/g, "/");
    expect(inflateRawSync(Uint8Array.from(atob(packed), (c) => c.charCodeAt(0))).toString()).toBe('{"seed":7}');
  });

  it("reads back every part of an address it wrote", async () => {
    const place = { scene: "grid-plan", difference: { seed: 7 }, frame: 3, lang: "it" };
    expect(await read(await write(place))).toEqual(place);
    expect(await read(await write({ scene: "kmeans", difference: {}, frame: 0, lang: null }))).toEqual({ scene: "kmeans", difference: {}, frame: null, lang: null });
  });

  it("names no scene for other fragments, and fails for a state that is none", async () => {
    expect(await read("")).toBeNull();
    expect(await read("#t=abc")).toBeNull();
    await expect(read("#/kmeans?s=%%%")).rejects.toThrow();
    await expect(read(`#/kmeans?s=${await encode([1])}`)).rejects.toThrow();
    expect((await read("#/kmeans?f=-2"))?.frame).toBeNull();
  });

  it("tells unknown names apart", () => {
    expect(known(scene, { k: 2, evil: 1 })).toEqual({ state: { k: 2 }, unknown: ["evil"] });
  });
});
