// Arrays of the protocol: base64 of little-endian bytes on the wire, typed arrays here.
import type { Numbers, Packed, Tensor, Unpacked } from "./types";

const KINDS = { f4: Float32Array, f8: Float64Array, u1: Uint8Array, i4: Int32Array } as const;

export function unpack(packed: Packed): Unpacked {
  if (packed.t === "json") return { json: packed.v };
  const text = atob(packed.b);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return { data: new KINDS[packed.t](bytes.buffer) as Numbers, shape: packed.s };
}

export function isTensor(value: Unpacked | undefined): value is Tensor {
  return value !== undefined && "data" in value;
}

/** All numbers of an array in row order, whichever way it travelled. */
export function flat(value: Unpacked | undefined): ArrayLike<number> {
  if (value === undefined) return [];
  if (isTensor(value)) return value.data;
  return Array.isArray(value.json) ? ((value.json as unknown[]).flat(Infinity) as number[]) : [];
}

export function shape(value: Unpacked | undefined): number[] {
  if (value === undefined) return [0];
  if (isTensor(value)) return value.shape;
  const sizes: number[] = [];
  let rest: unknown = value.json;
  while (Array.isArray(rest)) {
    sizes.push(rest.length);
    rest = rest[0];
  }
  return sizes;
}

/** The rows of a matrix; a vector becomes one row per number. */
export function rows(value: Unpacked | undefined): number[][] {
  const numbers = flat(value);
  const sizes = shape(value);
  const width = sizes.length > 1 ? sizes.slice(1).reduce((a, b) => a * b, 1) : 1;
  const height = sizes[0] ?? 0;
  return Array.from({ length: height }, (_, i) => Array.from({ length: width }, (_, j) => numbers[i * width + j]!));
}

/** A json array as it came, or a tensor as nested lists. */
export function plain<T>(value: Unpacked | undefined): T | undefined {
  if (value === undefined) return undefined;
  if (!isTensor(value)) return value.json as T;
  return (value.shape.length > 1 ? rows(value) : Array.from(value.data)) as T;
}
