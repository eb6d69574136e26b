// Colours: those of Okabe and Ito for classes, one accent, and greys that hold 4.5:1 as text on their ground.

export interface Theme {
  dark: boolean;
  ground: string;
  ink: string;
  soft: string;
  line: string;
  faint: string;
  accent: string;
  good: string;
  bad: string;
  classes: readonly string[];
}

export const LIGHT: Theme = {
  dark: false,
  ground: "#ffffff",
  ink: "#14181d",
  soft: "#57626d",
  line: "#dfe3e8",
  faint: "#eef1f4",
  accent: "#0b66a8",
  good: "#00795a",
  bad: "#b84a00",
  classes: ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a900", "#7f8790"],
};

export const DARK: Theme = {
  dark: true,
  ground: "#171b20",
  ink: "#eaeef2",
  soft: "#9ca7b2",
  line: "#2c333b",
  faint: "#20262c",
  accent: "#62b6f3",
  good: "#3fc79a",
  bad: "#f08b45",
  classes: ["#2f94d8", "#eaa91f", "#1fb98c", "#d98bb8", "#8fd0f5", "#ee7a2b", "#f0e442", "#9aa3ad"],
};

type Rgb = [number, number, number];
const cache = new Map<string, Rgb>();

export function rgb(hex: string): Rgb {
  let made = cache.get(hex);
  if (!made) {
    const n = parseInt(hex.slice(1), 16);
    cache.set(hex, (made = [n >> 16, (n >> 8) & 255, n & 255]));
  }
  return made;
}

export function hex([r, g, b]: Rgb): string {
  return `#${((1 << 24) | (Math.round(r) << 16) | (Math.round(g) << 8) | Math.round(b)).toString(16).slice(1)}`;
}

export function blend(a: string, b: string, share: number): string {
  const [x, y] = [rgb(a), rgb(b)];
  return hex([0, 1, 2].map((i) => x[i]! + (y[i]! - x[i]!) * share) as Rgb);
}

export function classColor(theme: Theme, k: number): string {
  return k < 0 ? theme.soft : theme.classes[k % theme.classes.length]!;
}

/** A colour of a scale: `t` in 0..1 from the ground to the accent, or from one class over the ground to another. */
export function scaleColor(theme: Theme, t: number, diverging: boolean): string {
  if (!Number.isFinite(t)) return theme.faint;
  const s = Math.max(0, Math.min(1, t));
  if (!diverging) return s < 0.6 ? blend(theme.ground, theme.classes[0]!, 0.06 + (s / 0.6) * 0.72) : blend(blend(theme.ground, theme.classes[0]!, 0.78), theme.dark ? "#d5ecff" : "#06304f", (s - 0.6) / 0.4);
  const neutral = blend(theme.ground, theme.soft, 0.06);
  return s < 0.5 ? blend(theme.classes[0]!, neutral, s * 2) : blend(neutral, theme.classes[5]!, s * 2 - 1);
}

const scales = new WeakMap<Theme, Map<boolean, readonly string[]>>();
const STEPS = 256; // as many as a channel of a screen has

/** The colours of a scale from its lower to its upper end, made once for a theme. */
export function scaleSteps(theme: Theme, diverging: boolean): readonly string[] {
  let kept = scales.get(theme);
  if (!kept) scales.set(theme, (kept = new Map()));
  let found = kept.get(diverging);
  if (!found) kept.set(diverging, (found = Array.from({ length: STEPS }, (_, i) => scaleColor(theme, i / (STEPS - 1), diverging))));
  return found;
}

export function mixShares(theme: Theme, shares: ArrayLike<number>, from: number, k: number): string {
  let total = 0;
  const sum: Rgb = [0, 0, 0];
  for (let j = 0; j < k; j++) {
    const weight = shares[from + j]!;
    const color = rgb(classColor(theme, j));
    total += weight;
    for (let i = 0; i < 3; i++) sum[i] = sum[i]! + weight * color[i]!;
  }
  // sixteen steps a channel: few enough looks that marks can be stamped
  return hex(sum.map((s) => Math.min(255, Math.round(s / (total || 1) / 17) * 17)) as Rgb);
}

/** Black or white, whichever can be read on a colour. */
export function inkOn(color: string): string {
  const [r, g, b] = rgb(color).map((v) => ((v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)) as Rgb;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.2 ? "#14181d" : "#ffffff";
}
