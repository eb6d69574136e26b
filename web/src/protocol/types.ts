// The words of the protocol, version 1: what the server says and what the page asks.

export type Packed = { t: "f4" | "f8" | "u1" | "i4"; s: number[]; b: string } | { t: "json"; v: unknown };
export type Numbers = Float32Array | Float64Array | Uint8Array | Int32Array;
export interface Tensor {
  data: Numbers;
  shape: number[];
}
export type Unpacked = Tensor | { json: unknown };

export interface Row {
  id: string;
  title: string;
  chapter?: string | number;
}

export interface Control {
  name: string;
  kind: "slider" | "choice" | "toggle" | "number" | "text" | "matrix" | "table" | "graph";
  default: unknown;
  min?: number;
  max?: number;
  step?: number;
  log?: boolean;
  integer?: boolean;
  choices?: (string | number)[];
  max_length?: number;
  rows?: number | string;
  cols?: number;
  labels?: string[];
  columns?: string[];
  most?: number;
  acyclic?: boolean;
  drag?: string;
  hidden_when?: Record<string, unknown>;
  title?: string;
  choice_titles?: string[];
  warn?: [number, number];
}

export interface SliderRange {
  min: number;
  max: number;
  default: number;
  step?: number;
  integer?: boolean;
  log?: boolean;
}

export interface Points {
  kind: "classes" | "plain" | "xy" | "picture";
  classes: number;
  presets: string[];
  limit: number;
  n: SliderRange;
  noise: SliderRange | null;
  domain: [[number, number], [number, number]];
}

export interface View {
  kind: string;
  id: string;
  span?: number;
  linked?: string;
  title?: string;
  [binding: string]: unknown;
}

export interface Scene {
  name: string;
  family: string;
  rows: Row[];
  deep: boolean;
  limit: number;
  controls: Control[];
  points: Points | null;
  views: View[];
  parts: string[];
  shown?: string | null;
  rising: null | "up" | "down";
}

export interface Chapter {
  source: string;
  chapter: string | number;
  title: string;
}

/** A study that is open: its pages in order, and why some are closed. */
export interface StudyInfo {
  name: string;
  target?: string;
  task?: string;
  rows?: number;
  pages?: string[];
  closed?: Record<string, string>;
  shared?: Record<string, string[]>;
}

/** The answer of one page of a study. */
export interface StudyPage {
  v: number;
  page: string;
  controls: Control[];
  state: State;
  values: Values;
  arrays: Record<string, Packed>;
  views: View[];
  say: Sentence | null;
  notes: (string | Sentence)[];
}

export interface Catalogue {
  v: number;
  novum: string;
  scenes: Scene[];
  families: string[];
  chapters: Chapter[];
  study: StudyInfo | null;
}

export type State = Record<string, unknown>;
export type PointState = { preset: string; n?: number; noise?: number } | { rows: number[][] };
export type Values = Record<string, number | null>;
export type Sentence = [string, Record<string, unknown>?];

export interface HeadEvent {
  v: number;
  scene: string;
  state: State;
  digest: string;
  novum: string;
  frames: number | null;
  arrays?: Record<string, Packed>;
  handles?: Record<string, number[][]>;
  scene_info?: Scene;
}

export interface FrameEvent {
  n: number;
  part: string;
  values: Values;
  arrays?: Record<string, Packed>;
  say?: Sentence | null;
  ms: number;
}

export interface EndEvent {
  frames: number;
  ms: number;
  stopped: null | "limit" | "passes";
  kept: "all" | "thinned";
}

export interface RefusedEvent {
  sentence: string;
  control: string | null;
}

export type LabEvent =
  | { event: "head"; data: HeadEvent }
  | { event: "frame"; data: FrameEvent }
  | { event: "end"; data: EndEvent }
  | { event: "refused"; data: RefusedEvent };
