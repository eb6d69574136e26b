// Texts with places: {name}, {name, number}, {n, plural, one {# row} other {# rows}}.

export type Params = Record<string, unknown>;

export function format(text: string, params: Params, lang: string): string {
  let out = "";
  for (let i = 0; i < text.length; ) {
    if (text[i] !== "{") {
      out += text[i++];
      continue;
    }
    const end = closing(text, i);
    out += place(text.slice(i + 1, end), params, lang);
    i = end + 1;
  }
  return out;
}

function closing(text: string, open: number): number {
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    if (text[i] === "{") depth++;
    else if (text[i] === "}" && --depth === 0) return i;
  }
  return text.length;
}

function place(inside: string, params: Params, lang: string): string {
  const [name = "", kind = "", ...rest] = inside.split(",");
  const value = params[name.trim()];
  if (kind.trim() === "plural") return plural(rest.join(","), Number(value), params, lang);
  return typeof value === "number" ? number(value, lang) : String(value ?? "");
}

function plural(forms: string, count: number, params: Params, lang: string): string {
  const wanted = new Intl.PluralRules(lang).select(count);
  const found: Record<string, string> = {};
  for (let i = 0; i < forms.length; ) {
    const open = forms.indexOf("{", i);
    if (open < 0) break;
    const end = closing(forms, open);
    found[forms.slice(i, open).trim()] = forms.slice(open + 1, end);
    i = end + 1;
  }
  const form = found[`=${count}`] ?? found[wanted] ?? found["other"] ?? "";
  return format(form.replaceAll("#", number(count, lang)), params, lang);
}

const formats = new Map<string, Intl.NumberFormat>();

/** A number for reading: `digits` significant ones, thousands apart, very small and very large in powers of ten. */
export function number(value: number, lang: string, digits = 5): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  const powers = size !== 0 && (size < 1e-3 || size >= 1e7);
  const key = `${lang} ${digits} ${powers} ${Number.isInteger(value)}`;
  let made = formats.get(key);
  if (!made) {
    const options: Intl.NumberFormatOptions = powers
      ? { notation: "scientific", maximumSignificantDigits: Math.min(digits, 4) }
      : Number.isInteger(value)
        ? { maximumFractionDigits: 0 }
        : { maximumSignificantDigits: digits };
    formats.set(key, (made = new Intl.NumberFormat(lang, options)));
  }
  return made.format(value).replace("-", "−");
}
