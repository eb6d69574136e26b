// The surface of the screen. Marks of one look are drawn once and stamped, so that thousands of them keep the pace.
import { FONT, outline, type Paint, type Surface, type Type } from "./surface";

const stamps = new Map<string, HTMLCanvasElement>();

export class CanvasSurface implements Surface {
  readonly width: number;
  readonly height: number;
  private readonly context: CanvasRenderingContext2D;
  private readonly ratio: number;

  constructor(canvas: HTMLCanvasElement, width: number, height: number, ratio: number, ground?: string) {
    this.width = width;
    this.height = height;
    this.ratio = ratio;
    const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
    this.context = canvas.getContext("2d")!;
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (ground) {
      this.context.fillStyle = ground;
      this.context.fillRect(0, 0, width, height);
    } else this.context.clearRect(0, 0, width, height);
    this.context.lineJoin = this.context.lineCap = "round";
  }

  private finish(paint: Paint, shape?: Path2D): void {
    const c = this.context;
    c.globalAlpha = paint.alpha ?? 1;
    if (paint.fill) {
      c.fillStyle = paint.fill;
      if (shape) c.fill(shape);
      else c.fill();
    }
    if (paint.stroke) {
      c.strokeStyle = paint.stroke;
      c.lineWidth = paint.width ?? 1;
      c.setLineDash((paint.dash as number[]) ?? []);
      if (shape) c.stroke(shape);
      else c.stroke();
    }
    c.globalAlpha = 1;
  }

  path(d: string, paint: Paint): void {
    this.finish(paint, new Path2D(d));
  }

  polyline(xs: ArrayLike<number>, ys: ArrayLike<number>, paint: Paint): void {
    const c = this.context;
    c.beginPath();
    let pen = false;
    for (let i = 0; i < xs.length; i++) {
      const [x, y] = [xs[i]!, ys[i]!];
      if (!Number.isFinite(x) || !Number.isFinite(y)) pen = false;
      else if (pen) c.lineTo(x, y);
      else {
        c.moveTo(x, y);
        pen = true;
      }
    }
    this.finish(paint);
  }

  rect(x: number, y: number, w: number, h: number, paint: Paint, radius = 0): void {
    const c = this.context;
    c.beginPath();
    if (radius) c.roundRect(x, y, w, h, radius);
    else c.rect(x, y, w, h);
    this.finish(paint);
  }

  circle(x: number, y: number, r: number, paint: Paint): void {
    this.context.beginPath();
    this.context.arc(x, y, Math.max(0, r), 0, 2 * Math.PI);
    this.finish(paint);
  }

  mark(kind: number, x: number, y: number, r: number, paint: Paint): void {
    const key = `${kind} ${r.toFixed(1)} ${paint.fill} ${paint.stroke} ${paint.width} ${this.ratio}`;
    const half = Math.ceil(r * 1.4 + (paint.width ?? 1) + 1);
    let stamp = stamps.get(key);
    if (!stamp) {
      if (stamps.size > 600) stamps.clear();
      stamp = document.createElement("canvas");
      const side = Math.ceil(2 * half * this.ratio);
      [stamp.width, stamp.height] = [side, side];
      const c = stamp.getContext("2d")!;
      c.setTransform(this.ratio, 0, 0, this.ratio, half * this.ratio, half * this.ratio);
      const shape = new Path2D(outline(kind, 0, 0, r));
      if (paint.fill) {
        c.fillStyle = paint.fill;
        c.fill(shape);
      }
      if (paint.stroke) {
        c.strokeStyle = paint.stroke;
        c.lineWidth = paint.width ?? 1;
        c.stroke(shape);
      }
      stamps.set(key, stamp);
    }
    const c = this.context;
    c.globalAlpha = paint.alpha ?? 1;
    c.drawImage(stamp, x - half, y - half, stamp.width / this.ratio, stamp.height / this.ratio);
    c.globalAlpha = 1;
  }

  text(text: string, x: number, y: number, type: Type): void {
    const c = this.context;
    c.save();
    c.translate(x, y);
    if (type.turn) c.rotate((type.turn * Math.PI) / 180);
    c.font = `${type.weight ?? 400} ${type.size ?? 12}px ${FONT}`;
    c.textAlign = type.anchor === "middle" ? "center" : (type.anchor ?? "start");
    c.textBaseline = type.baseline ?? "alphabetic";
    c.globalAlpha = type.alpha ?? 1;
    if (type.halo) {
      c.strokeStyle = type.halo;
      c.lineWidth = 3;
      c.lineJoin = "round";
      c.strokeText(text, 0, 0);
    }
    c.fillStyle = type.fill ?? "#000";
    c.fillText(text, 0, 0);
    c.restore();
  }

  picture(rgba: Uint8ClampedArray, w: number, h: number, x: number, y: number, width: number, height: number, smooth: boolean): void {
    const image = raster(rgba, w, h);
    this.context.imageSmoothingEnabled = smooth;
    this.context.imageSmoothingQuality = "high";
    this.context.drawImage(image, x, y, width, height);
    this.context.imageSmoothingEnabled = true;
  }

  clip(x: number, y: number, w: number, h: number, inside: () => void): void {
    const c = this.context;
    c.save();
    c.beginPath();
    c.rect(x, y, w, h);
    c.clip();
    inside();
    c.restore();
  }
}

const rasters = new WeakMap<Uint8ClampedArray, HTMLCanvasElement>();

/** A picture as a canvas, made once per array. */
export function raster(rgba: Uint8ClampedArray, w: number, h: number): HTMLCanvasElement {
  let made = rasters.get(rgba);
  if (!made) {
    made = document.createElement("canvas");
    [made.width, made.height] = [w, h];
    made.getContext("2d")!.putImageData(new ImageData(rgba as ImageDataArray, w, h), 0, 0);
    rasters.set(rgba, made);
  }
  return made;
}
