// Icons as inline SVG, drawn in the ink of the text beside them.
import type { JSX } from "preact";

const PATHS = {
  step: "M5 4l9 6-9 6zM15.5 4v12",
  play: "M5 3.5l11 6.5-11 6.5z",
  pause: "M6 4v12M14 4v12",
  back: "M15 4l-9 6 9 6zM4.5 4v12",
  first: "M16 4l-7 6 7 6zM9 4l-5 6 5 6M3 4v12",
  last: "M4 4l7 6-7 6zM11 4l5 6-5 6M17 4v12",
  menu: "M3 5h14M3 10h14M3 15h14",
  close: "M4 4l12 12M16 4L4 16",
  copy: "M7 7h9v9H7zM4 13V4h9",
  table: "M3 4h14v12H3zM3 8h14M3 12h14M8 4v12",
  save: "M10 3v10M6 9l4 4 4-4M4 17h12",
  sun: "M10 6a4 4 0 100 8 4 4 0 000-8zM10 1v2M10 17v2M1 10h2M17 10h2M3.6 3.6L5 5M15 15l1.4 1.4M3.6 16.4L5 15M15 5l1.4-1.4",
  moon: "M16 12.5A7 7 0 017.5 4 7 7 0 1016 12.5z",
  share: "M10 12V3M6.5 6L10 2.5 13.500 6M4 10v7h12v-7",
  help: "M7.500 7.500a2.500 2.500 0 113.700 2.200c-.8.500-1.200 1-1.200 2M10 14.800v.2",
  search: "M9 3a6 6 0 100 12A6 6 0 009 3zM13.500 13.500L17 17",
  hand: "M8 10V4.500a1.300 1.300 0 012.600 0V9m0-1a1.300 1.300 0 012.600 0v1.500m0-.7a1.300 1.300 0 012.600 0V13a5 5 0 01-5 5H9.500c-1.500 0-2.500-.7-3.300-2L4 12.300c-.8-1.300 1-2.400 2-1.200l2 2",
  undo: "M4 8h8a4 4 0 010 8H8M4 8l4-4M4 8l4 4",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, fill = false }: { name: IconName; fill?: boolean }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} fill={fill ? "currentColor" : "none"} stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" />
    </svg>
  );
}
