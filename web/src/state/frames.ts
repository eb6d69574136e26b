// What a run has said so far. An array that a frame does not name is that of the frame before.
import { unpack } from "../protocol/arrays";
import type { EndEvent, FrameEvent, HeadEvent, LabEvent, Packed, RefusedEvent, Sentence, Unpacked, Values } from "../protocol/types";

export type Arrays = Record<string, Unpacked>;

export interface Frame {
  n: number;
  part: string;
  values: Values;
  arrays: Arrays;
  say: Sentence | null;
  ms: number;
}

export interface Run {
  head: HeadEvent;
  arrays: Arrays;
  frames: Frame[];
  end: EndEvent | null;
  refused: RefusedEvent | null;
}

function opened(before: Arrays, named: Record<string, Packed> | undefined): Arrays {
  if (!named || Object.keys(named).length === 0) return before;
  return { ...before, ...Object.fromEntries(Object.entries(named).map(([name, packed]) => [name, unpack(packed)])) };
}

export function begin(head: HeadEvent): Run {
  return { head, arrays: opened({}, head.arrays), frames: [], end: null, refused: null };
}

export function append(run: Run, data: FrameEvent): void {
  const before = run.frames.at(-1)?.arrays ?? run.arrays;
  const arrays = opened(before, data.arrays);
  run.frames.push({ n: data.n, part: data.part, values: data.values, arrays, say: data.say ?? null, ms: data.ms });
}

/** Recorded runs and offline files carry their events as pairs. */
export type Recorded = [LabEvent["event"], LabEvent["data"]][];

export function replay(list: Recorded): Run {
  const [first, ...others] = list;
  if (first?.[0] !== "head") throw new Error("no head");
  const run = begin(first[1] as HeadEvent);
  for (const [event, data] of others) {
    if (event === "frame") append(run, data as FrameEvent);
    else if (event === "end") run.end = data as EndEvent;
    else if (event === "refused") run.refused = data as RefusedEvent;
  }
  return run;
}

export const expected = (run: Run): number => Math.max(run.head.frames ?? 0, run.frames.length);
