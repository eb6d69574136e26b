import { describe, expect, it } from "vitest";
import { format, number } from "../src/words/format";

describe("words", () => {
  it("fills places, formats numbers in the language", () => {
    expect(format("J falls by {by, number} to {J}.", { by: 1234.5678, J: "x" }, "en")).toBe("J falls by 1,234.6 to x.");
    expect(format("{by}", { by: 0.5 }, "it")).toBe("0,5");
  });

  it("chooses the plural, with exact numbers before the language's own", () => {
    const text = "{n, plural, =0 {no row} one {# row} other {# rows of {of}}}";
    expect(format(text, { n: 0 }, "en")).toBe("no row");
    expect(format(text, { n: 1 }, "en")).toBe("1 row");
    expect(format(text, { n: 3, of: 9 }, "en")).toBe("3 rows of 9");
  });

  it("leaves nothing of a place that has no value", () => {
    expect(format("a{missing}b", {}, "en")).toBe("ab");
    expect(format("{", {}, "en")).toBe("");
  });

  it("shows small and large numbers in powers of ten, and says when there is none", () => {
    expect(number(0.00001234, "en", 3)).toBe("1.23E−5");
    expect(number(12345678.5, "en", 3)).toBe("1.23E7");
    expect(number(-2.5, "en")).toBe("−2.5");
    expect(number(NaN, "en")).toBe("–");
  });
});

const files = import.meta.glob("../../src/novum/lab/words/**/*.json", { eager: true, import: "default" }) as Record<string, Record<string, unknown>>;

function flat(entry: unknown, prefix = ""): [string, string][] {
  return typeof entry === "string" ? [[prefix, entry]] : Object.entries(entry as object).flatMap(([k, v]) => flat(v, `${prefix}.${k}`));
}

describe("English and Italian", () => {
  const names = Object.keys(files).filter((name) => name.includes("/en/"));
  it.each(names)("%s has the same keys and places in both", (name) => {
    const other = files[name.replace("/en/", "/it/")];
    expect(other, "an Italian file").toBeDefined();
    const [en, it_] = [new Map(flat(files[name])), new Map(flat(other))];
    expect([...it_.keys()].sort()).toEqual([...en.keys()].sort());
    const places = (text: string): string[] => [...new Set([...text.matchAll(/\{(\w+)[,}]/g)].map((m) => m[1]!))].sort();
    for (const [key, text] of en) expect(places(it_.get(key)!), key).toEqual(places(text));
  });
});

describe("keys of the shell", () => {
  const sources = import.meta.glob("../src/**/*.{ts,tsx}", { eager: true, query: "?raw", import: "default" }) as Record<string, string>;
  it("all stand in shell.json or analyst.json", () => {
    const known = Object.entries(files).filter(([name]) => /en\/(shell|analyst)\.json$/.test(name)).flatMap(([, list]) => flat(list).map(([key]) => key.slice(1)));
    const used = Object.values(sources).flatMap((text) => [...text.matchAll(/"((?:shell|analyst)\.[a-z_.0-9]+)"/g)].map((m) => m[1]!));
    expect([...new Set(used)].filter((key) => !known.includes(key))).toEqual([]);
  });
});
