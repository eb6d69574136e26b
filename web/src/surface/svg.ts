// The surface of files: the same marks as a string of SVG.
import { FONT, near, outline, type Paint, type Surface, type Type } from "./surface";

const escape = (text: string): string => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

function look(paint: Paint): string {
  let out = ` fill="${paint.fill ?? "none"}"`;
  if (paint.stroke) {
    out += ` stroke="${paint.stroke}" stroke-width="${paint.width ?? 1}"`;
    if (paint.dash?.length) out += ` stroke-dasharray="${paint.dash.join(" ")}"`;
  }
  return paint.alpha === undefined || paint.alpha === 1 ? out : `${out} opacity="${near(paint.alpha)}"`;
}

export class SvgSurface implements Surface {
  private readonly parts: string[] = [];
  private clips = 0;

  constructor(
    readonly width: number,
    readonly height: number,
    private readonly pictureUrl?: (rgba: Uint8ClampedArray, w: number, h: number) => string,
  ) {}

  path(d: string, paint: Paint): void {
    this.parts.push(`<path d="${d}"${look(paint)}/>`);
  }

  polyline(xs: ArrayLike<number>, ys: ArrayLike<number>, paint: Paint): void {
    let d = "";
    let pen = "M";
    for (let i = 0; i < xs.length; i++) {
      if (!Number.isFinite(xs[i]!) || !Number.isFinite(ys[i]!)) pen = "M";
      else {
        d += `${pen}${near(xs[i]!)},${near(ys[i]!)}`;
        pen = "L";
      }
    }
    if (d) this.path(d, paint);
  }

  rect(x: number, y: number, w: number, h: number, paint: Paint, radius = 0): void {
    this.parts.push(`<rect x="${near(x)}" y="${near(y)}" width="${near(w)}" height="${near(h)}"${radius ? ` rx="${radius}"` : ""}${look(paint)}/>`);
  }

  circle(x: number, y: number, r: number, paint: Paint): void {
    this.parts.push(`<circle cx="${near(x)}" cy="${near(y)}" r="${near(r)}"${look(paint)}/>`);
  }

  mark(kind: number, x: number, y: number, r: number, paint: Paint): void {
    this.path(outline(kind, x, y, r), paint);
  }

  text(text: string, x: number, y: number, type: Type): void {
    const size = type.size ?? 12;
    const drop = { top: 0.78 * size, middle: 0.35 * size, bottom: -0.22 * size, alphabetic: 0 }[type.baseline ?? "alphabetic"];
    const turn = type.turn ? ` transform="rotate(${type.turn} ${near(x)} ${near(y)})"` : "";
    const halo = type.halo ? ` stroke="${type.halo}" stroke-width="3" stroke-linejoin="round" paint-order="stroke"` : "";
    const alpha = type.alpha === undefined || type.alpha === 1 ? "" : ` opacity="${near(type.alpha)}"`;
    this.parts.push(
      `<text x="${near(x)}" y="${near(y + drop)}" font-size="${size}" font-weight="${type.weight ?? 400}" text-anchor="${type.anchor ?? "start"}" fill="${type.fill ?? "#000"}"${halo}${turn}${alpha}>${escape(text)}</text>`,
    );
  }

  picture(rgba: Uint8ClampedArray, w: number, h: number, x: number, y: number, width: number, height: number, smooth: boolean): void {
    if (!this.pictureUrl) return;
    const style = smooth ? "" : ` image-rendering="pixelated"`;
    this.parts.push(
      `<image x="${near(x)}" y="${near(y)}" width="${near(width)}" height="${near(height)}" preserveAspectRatio="none"${style} href="${this.pictureUrl(rgba, w, h)}"/>`,
    );
  }

  clip(x: number, y: number, w: number, h: number, inside: () => void): void {
    const id = `c${++this.clips}`;
    this.parts.push(`<clipPath id="${id}"><rect x="${near(x)}" y="${near(y)}" width="${near(w)}" height="${near(h)}"/></clipPath><g clip-path="url(#${id})">`);
    inside();
    this.parts.push("</g>");
  }

  /** The file, with a title, a line of caption below and its own ground. */
  file(ground: string, ink: string, title: string, caption: string): string {
    const room = caption ? 28 : 0;
    const lines = caption ? `<text x="12" y="${this.height + 18}" font-size="11" fill="${ink}">${escape(caption)}</text>` : "";
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height + room}" viewBox="0 0 ${this.width} ${this.height + room}" ` +
      `font-family="${escape(FONT)}"><title>${escape(title)}</title><rect width="100%" height="100%" fill="${ground}"/>${this.parts.join("")}${lines}</svg>`
    );
  }
}
