// What can be taken away: a table as CSV, a picture as PNG or SVG, with a caption that says where it comes from.
import type { View } from "../protocol/types";
import { catalogue, complete, difference, frame, run, scene } from "../state/store";
import { LIGHT } from "../marks/palette";
import { CanvasSurface, raster } from "../surface/canvas";
import { SvgSurface } from "../surface/svg";
import type { Drawer } from "../views/context";
import { first, say } from "../words/words";
import { context } from "./drawn";

export function download(name: string, content: Blob | string, type = "text/plain"): void {
  const blob = typeof content === "string" ? new Blob([content], { type }) : content;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A cell that no spreadsheet takes for a formula. */
export function cell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const inert = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

const base = (view: View): string => `${scene.value?.name}-${view.id}-${frame.value?.n ?? 0}`;

export function csv(view: View, drawer: Drawer): void {
  const c = context(view);
  if (!c) return;
  const { columns, rows } = drawer.table(c);
  download(`${base(view)}.csv`, [columns, ...rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n", "text/csv");
}

export function caption(): string {
  const told = Object.entries(difference.value)
    .filter(([, v]) => typeof v !== "object")
    .map(([name, v]) => `${first([`scene.${scene.value?.name}.control.${name}`])} ${String(v)}`);
  const seed = complete.value.seed;
  return [
    scene.value ? say(`scene.${scene.value.name}.title`) : "",
    say("shell.frame_of", { n: frame.value?.n ?? 0 }),
    ...told,
    ...(difference.value.seed === undefined && typeof seed === "number" ? [`${say("shell.seed")} ${seed}`] : []),
    `novum ${run.value?.head.novum ?? catalogue.value?.novum ?? ""}`,
  ].join(" · ");
}

function size(view: View, drawer: Drawer, main: boolean): { c: NonNullable<ReturnType<typeof context>>; width: number; height: number } | null {
  const made = context(view);
  if (!made) return null;
  const c = { ...made, theme: LIGHT, hover: null, mix: 1 };
  const width = main ? 760 : 520;
  return { c, width, height: drawer.height(c, width, main) };
}

export function svgText(view: View, drawer: Drawer, main: boolean): string {
  const found = size(view, drawer, main);
  if (!found) return "";
  const surface = new SvgSurface(found.width, found.height, (rgba, w, h) => raster(rgba, w, h).toDataURL("image/png"));
  drawer.draw(surface, found.c);
  return surface.file(LIGHT.ground, LIGHT.soft, say(`scene.${scene.value!.name}.title`), caption());
}

export function pictureSvg(view: View, drawer: Drawer, main: boolean): void {
  download(`${base(view)}.svg`, svgText(view, drawer, main), "image/svg+xml");
}

export function picturePng(view: View, drawer: Drawer, main: boolean): void {
  const found = size(view, drawer, main);
  if (!found) return;
  const canvas = document.createElement("canvas");
  const surface = new CanvasSurface(canvas, found.width, found.height + 28, 2, LIGHT.ground);
  drawer.draw(Object.create(surface, { height: { value: found.height } }) as CanvasSurface, found.c);
  surface.text(caption(), 12, found.height + 18, { size: 11, fill: LIGHT.soft });
  canvas.toBlob((blob) => blob && download(`${base(view)}.png`, blob), "image/png");
}
