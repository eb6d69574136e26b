import { describe, expect, it } from "vitest";
import { flat, plain, rows, shape, unpack } from "../src/protocol/arrays";
import { events, parse } from "../src/protocol/stream";
import type { Packed } from "../src/protocol/types";
import { append, begin, replay } from "../src/state/frames";

const base64 = (array: Float32Array | Float64Array | Int32Array | Uint8Array): string => btoa(String.fromCharCode(...new Uint8Array(array.buffer)));
const head = { v: 1, scene: "s", state: {}, digest: "", novum: "", frames: null };

describe("arrays", () => {
  it("open to the bit", () => {
    const values = new Float64Array([0.1, -1e-300, 295.0476500554213, 2 ** 53]);
    const made = unpack({ t: "f8", s: [2, 2], b: base64(values) });
    expect(Array.from(flat(made))).toEqual(Array.from(values));
    expect(rows(made)).toEqual([[0.1, -1e-300], [295.0476500554213, 2 ** 53]]);
  });

  it("are rows and shapes whichever way they came", () => {
    const json = unpack({ t: "json", v: [[1, 2, 3], [4, 5, 6]] });
    expect(shape(json)).toEqual([2, 3]);
    expect(rows(json)).toEqual([[1, 2, 3], [4, 5, 6]]);
    expect(rows(unpack({ t: "i4", s: [3], b: base64(new Int32Array([1, 2, 3])) }))).toEqual([[1], [2], [3]]);
    expect(plain(unpack({ t: "u1", s: [2], b: base64(new Uint8Array([7, 255])) }))).toEqual([7, 255]);
    expect(flat(undefined).length).toBe(0);
  });
});

describe("the stream", () => {
  it("is cut at blank lines, wherever the pieces end", async () => {
    const text = 'event: head\ndata: {"v":1}\n\nevent: frame\r\ndata: {"n":\r\ndata: 2}\r\n\r\n: a comment\n\nevent: end\ndata: {"frames":1}\n\n';
    for (const piece of [1, 3, 7, 1000]) {
      const bytes = new TextEncoder().encode(text);
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          for (let i = 0; i < bytes.length; i += piece) controller.enqueue(bytes.slice(i, i + piece));
          controller.close();
        },
      });
      const got = [];
      for await (const event of events(body)) got.push(event);
      expect(got).toEqual([{ event: "head", data: { v: 1 } }, { event: "frame", data: { n: 2 } }, { event: "end", data: { frames: 1 } }]);
    }
  });

  it("has nothing to say without data", () => {
    expect(parse(": still here")).toBeNull();
  });
});

describe("frames", () => {
  const packed = (v: unknown): Packed => ({ t: "json", v });
  it("keep the array of the frame before where none is named", () => {
    const run = begin({ ...head, arrays: { X: packed([1]) } });
    append(run, { n: 0, part: "", values: { J: 1 }, arrays: { centers: packed([0]) }, ms: 0 });
    append(run, { n: 1, part: "", values: { J: 2 }, ms: 1 });
    append(run, { n: 2, part: "", values: { J: 3 }, arrays: { centers: packed([9]) }, ms: 2 });
    expect(run.frames.map((f) => plain(f.arrays.centers))).toEqual([[0], [0], [9]]);
    expect(run.frames.map((f) => plain(f.arrays.X))).toEqual([[1], [1], [1]]);
  });

  it("play back from pairs, with the end", () => {
    const run = replay([["head", head], ["frame", { n: 0, part: "", values: {}, ms: 0 }], ["end", { frames: 1, ms: 1, stopped: null, kept: "all" }]]);
    expect(run.frames.length).toBe(1);
    expect(run.end?.kept).toBe("all");
    expect(() => replay([])).toThrow();
  });
});
