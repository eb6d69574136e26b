// What a view is given to draw, and what it gives back.
import type { JSX } from "preact";
import { flat, isTensor, plain, rows, shape } from "../protocol/arrays";
import type { Control, Scene, State, Unpacked, View } from "../protocol/types";
import type { Theme } from "../marks/palette";
import type { Arrays, Frame } from "../state/frames";
import type { Surface } from "../surface/surface";

/** A thing that can be focused, moved by keys and dragged. */
export interface Handle {
  key: string;
  x: number;
  y: number;
  r: number;
  label: string;
  shape?: "round" | "across" | "down";
  length?: number;
  value?: { now: number; min: number; max: number; text: string };
  drag?(x: number, y: number): void;
  nudge?(dx: number, dy: number): void;
  press?(): void;
  remove?(): void;
  choose?(by: 1 | -1): void;
}

export interface Grab {
  move(x: number, y: number): void;
  up?(moved: boolean): void;
}

/** What a drawing answers to: handles, marks with tips, and the ground itself. */
export interface Drawing {
  handles?: Handle[];
  hits?: { x: ArrayLike<number>; y: ArrayLike<number>; reach?: number; tip?(i: number): string; linked?: boolean };
  tipAt?(x: number, y: number): { text: string; index?: number } | null;
  grab?(x: number, y: number, event: PointerEvent): Grab | null;
  move?(x: number, y: number): void;
  note?: string;
}

export interface Table {
  columns: string[];
  rows: (string | number | null)[][];
}

export interface Actions {
  change(values: State): void;
  dragged(): void;
  go(n: number): void;
  addClass(): number;
  /** Where the keyboard stands among the points of the plane. */
  cursor: { value: number };
}

export interface Context {
  view: View;
  scene: Scene;
  /** Where the words of this page begin: `scene.kmeans`, or `analyst.what-if`. */
  words: string;
  state: State;
  frame: Frame;
  before: Frame | null;
  frames: Frame[];
  at: number;
  mix: number;
  head: Arrays;
  handles: Record<string, number[][]>;
  theme: Theme;
  lang: string;
  hover: number | null;
  live: boolean;
  actions: Actions;
  say(key: string, params?: Record<string, unknown>): string;
  show(value: number | null | undefined, digits?: number): string;
}

export type HtmlView = (props: { view: View }) => JSX.Element | null;

export interface Drawer {
  /** Height for a width; `main` where the view is the scene's picture. */
  height(c: Context, width: number, main: boolean): number;
  draw(s: Surface, c: Context): Drawing;
  table(c: Context): Table;
  /** A view that is an element of the page, no picture. */
  Html?: HtmlView;
}

export function bound(c: Context, binding: string, frame: Frame = c.frame): Unpacked | undefined {
  const name = c.view[binding];
  if (name === undefined || name === null) return undefined;
  if (typeof name === "string") return frame.arrays[name] ?? c.head[name];
  return { json: name };
}

export const numbers = (c: Context, binding: string): ArrayLike<number> => flat(bound(c, binding));
export const sizes = (c: Context, binding: string): number[] => shape(bound(c, binding));
export const matrix = (c: Context, binding: string): number[][] => rows(bound(c, binding));
export const given = (c: Context, binding: string): boolean => c.view[binding] !== undefined && bound(c, binding) !== undefined;

export function json<T>(c: Context, binding: string): T | undefined {
  return plain<T>(bound(c, binding));
}

/** A list of words: an array of the run, or keys fixed by the view. */
export function labels(c: Context, binding: string): string[] {
  const found = json<unknown>(c, binding);
  return Array.isArray(found) ? found.flat().map((one) => String(spoken(c, one))) : [];
}

/** A text of a run in the reader's language where it is a key of the scene's words: "label.open". */
export function spoken<T>(c: Context, text: T): T | string {
  return typeof text === "string" && text.startsWith("label.") ? word(c, text) : text;
}

export function value(c: Context, binding: string, frame: Frame = c.frame): number | null {
  const name = c.view[binding];
  if (typeof name === "number") return name;
  if (typeof name !== "string") return null;
  const found = frame.values[name];
  if (found !== undefined) return found;
  const state = c.state[name];
  return typeof state === "number" ? state : null;
}

/** Positions on their way from the frame before; only positions glide, numbers never. */
export function gliding(c: Context, binding: string): ArrayLike<number> {
  const now = bound(c, binding);
  if (c.mix >= 1 || !c.before) return flat(now);
  const then = bound(c, binding, c.before);
  if (!isTensor(now) || !isTensor(then) || now.data === then.data || now.data.length !== then.data.length) return flat(now);
  return Float64Array.from(now.data, (v, i) => then.data[i]! + (v - then.data[i]!) * c.mix);
}

export function control(c: Context, binding: string): Control | undefined {
  const name = c.view[binding];
  return c.scene.controls.find((found) => found.name === name);
}

export const round = (v: number): number => Math.round(v * 1000) / 1000 + 0;
export const clamp = (v: number, low: number, high: number): number => Math.max(low, Math.min(high, v));
export const word = (c: Context, key: string, params?: Record<string, unknown>): string => c.say(`${c.words}.${key}`, params);
