// One way to draw, with two backends: the canvas of the screen and a string of SVG for files.

export interface Paint {
  fill?: string;
  stroke?: string;
  width?: number;
  dash?: readonly number[];
  alpha?: number;
}

export interface Type {
  size?: number;
  fill?: string;
  anchor?: "start" | "middle" | "end";
  baseline?: "top" | "middle" | "bottom" | "alphabetic";
  weight?: number;
  turn?: number;
  halo?: string;
  alpha?: number;
}

export interface Surface {
  readonly width: number;
  readonly height: number;
  /** A path in SVG's own notation. */
  path(d: string, paint: Paint): void;
  polyline(xs: ArrayLike<number>, ys: ArrayLike<number>, paint: Paint): void;
  rect(x: number, y: number, w: number, h: number, paint: Paint, radius?: number): void;
  circle(x: number, y: number, r: number, paint: Paint): void;
  /** A mark of a scatter plot: shape `kind` with "radius" r. */
  mark(kind: number, x: number, y: number, r: number, paint: Paint): void;
  text(text: string, x: number, y: number, type: Type): void;
  picture(rgba: Uint8ClampedArray, w: number, h: number, x: number, y: number, width: number, height: number, smooth: boolean): void;
  clip(x: number, y: number, w: number, h: number, inside: () => void): void;
}

export const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';

/** The outlines of the shapes that stand beside the colours, each of about the area of a circle of radius r. */
export const SHAPES = 8;
export function outline(kind: number, x: number, y: number, r: number): string {
  const p = (points: [number, number][]): string => `M${points.map(([a, b]) => `${near(x + a * r)},${near(y + b * r)}`).join("L")}Z`;
  switch (kind % SHAPES) {
    case 1:
      return p([[-0.88, -0.88], [0.88, -0.88], [0.88, 0.88], [-0.88, 0.88]]);
    case 2:
      return p([[0, -1.2], [1.15, 0.8], [-1.15, 0.8]]);
    case 3:
      return p([[0, -1.28], [1.28, 0], [0, 1.28], [-1.28, 0]]);
    case 4:
      return p([[-0.4, -1.15], [0.4, -1.15], [0.4, -0.4], [1.15, -0.4], [1.15, 0.4], [0.4, 0.4], [0.4, 1.15], [-0.4, 1.15], [-0.4, 0.4], [-1.15, 0.4], [-1.15, -0.4], [-0.4, -0.4]]);
    case 5:
      return p([[0, 1.2], [1.15, -0.8], [-1.15, -0.8]]);
    case 6:
      return p(ring(10, (i) => (i % 2 ? 0.62 : 1.35)));
    case 7:
      return p(ring(6, () => 1.12));
    default:
      return `M${near(x - r)},${near(y)}a${near(r)},${near(r)} 0 1 0 ${near(2 * r)},0a${near(r)},${near(r)} 0 1 0 ${near(-2 * r)},0Z`;
  }
}

function ring(corners: number, radius: (i: number) => number): [number, number][] {
  return Array.from({ length: corners }, (_, i) => {
    const angle = (2 * Math.PI * i) / corners - Math.PI / 2;
    return [radius(i) * Math.cos(angle), radius(i) * Math.sin(angle)];
  });
}

export const near = (value: number): number => Math.round(value * 100) / 100;
