// The state in the address: the difference from the defaults as canonical JSON, deflated, in base64url.
import type { Control, Points, PointState, Scene, State } from "../protocol/types";

export const LONGEST_LINK = 6000;

export interface Place {
  scene: string;
  difference: State;
  frame: number | null;
  lang: string | null;
}

export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value && typeof value === "object") {
    const entries = Object.entries(value).filter(([, v]) => v !== undefined);
    entries.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([k, v]) => `${JSON.stringify(k)}:${canonical(v)}`).join(",")}}`;
  }
  return JSON.stringify(value);
}

export function same(a: unknown, b: unknown): boolean {
  return a === b || canonical(a) === canonical(b);
}

export function defaultPoints(points: Points): PointState {
  const made: PointState = { preset: points.presets[0] ?? "", n: points.n.default };
  if (points.noise) made.noise = points.noise.default;
  return made;
}

export function defaults(scene: Scene): State {
  const state: State = Object.fromEntries(scene.controls.map((control: Control) => [control.name, control.default]));
  if (scene.points) state.points = defaultPoints(scene.points);
  return state;
}

export function difference(scene: Scene, state: State): State {
  const usual = defaults(scene);
  return Object.fromEntries(Object.entries(state).filter(([name, value]) => name in usual && !same(value, usual[name])));
}

async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const piped = new Blob([bytes as BlobPart]).stream().pipeThrough(stream as ReadableWritablePair<Uint8Array, Uint8Array>);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

export async function encode(value: unknown): Promise<string> {
  const bytes = await through(new TextEncoder().encode(canonical(value)), new CompressionStream("deflate-raw"));
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

export async function decode(text: string): Promise<unknown> {
  const raw = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
  const bytes = await through(Uint8Array.from(raw, (c) => c.charCodeAt(0)), new DecompressionStream("deflate-raw"));
  return JSON.parse(new TextDecoder().decode(bytes));
}

export async function write(place: Place): Promise<string> {
  const parts: string[] = [];
  if (Object.keys(place.difference).length) parts.push(`s=${await encode(place.difference)}`);
  if (place.frame) parts.push(`f=${place.frame}`);
  if (place.lang) parts.push(`lang=${place.lang}`);
  return `#/${place.scene}${parts.length ? `?${parts.join("&")}` : ""}`;
}

/** Read an address; `null` says that it names no scene, an error that its state cannot be read. */
export async function read(hash: string): Promise<Place | null> {
  const found = /^#\/([\w-]+)(?:\?(.*))?$/.exec(hash);
  if (!found) return null;
  const query = new URLSearchParams(found[2] ?? "");
  const packed = query.get("s");
  const value = packed ? await decode(packed) : {};
  if (!value || typeof value !== "object" || Array.isArray(value)) throw new Error("state");
  const frame = Number(query.get("f"));
  return {
    scene: found[1]!,
    difference: value as State,
    frame: query.has("f") && Number.isInteger(frame) && frame >= 0 ? frame : null,
    lang: query.get("lang"),
  };
}

/** Keep what the scene knows; the names of what it does not know come back beside it. */
export function known(scene: Scene, value: State): { state: State; unknown: string[] } {
  const usual = defaults(scene);
  const unknown = Object.keys(value).filter((name) => !(name in usual));
  return { state: Object.fromEntries(Object.entries(value).filter(([name]) => name in usual)), unknown };
}
