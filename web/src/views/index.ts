// The kinds of views, each fetched when a scene first needs it.
import type { Drawer } from "./context";

type Loader = () => Promise<{ drawer: Drawer }>;

export const DRAWERS: Record<string, Loader> = {
  plane: () => import("./plane"),
  curve: () => import("./curve"),
  bars: () => import("./bars"),
  heat: () => import("./heat"),
  table: () => import("./table"),
  graph: () => import("./graph"),
  tree: () => import("./tree"),
  trellis: () => import("./trellis"),
  grid: () => import("./grid"),
  network: () => import("./network"),
  image: () => import("./image"),
  intervals: () => import("./intervals"),
  number: () => import("./number"),
};

const loaded = new Map<string, Drawer>();

export function ready(kind: string): Drawer | undefined {
  return loaded.get(kind);
}

export async function bring(kind: string): Promise<Drawer> {
  const kept = loaded.get(kind);
  if (kept) return kept;
  const load = DRAWERS[kind];
  if (!load) throw new Error(`no view of kind ${kind}`);
  const { drawer } = await load();
  loaded.set(kind, drawer);
  return drawer;
}

export function put(kind: string, drawer: Drawer): void {
  loaded.set(kind, drawer);
}
