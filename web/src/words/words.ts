// The words of the page in the reader's language; they follow the signal `lang`.
import { computed, signal } from "@preact/signals";
import { format, number, type Params } from "./format";

export const LANGS = ["en", "it"] as const;
export type Lang = (typeof LANGS)[number];

export const lang = signal<Lang>("en");
const lists = signal<Partial<Record<Lang, Record<string, string>>>>({});
export const ready = computed(() => lists.value[lang.value] !== undefined);

export function bring(language: Lang, list: Record<string, string>): void {
  lists.value = { ...lists.value, [language]: list };
}

export function has(key: string): boolean {
  return (lists.value[lang.value] ?? lists.value.en)?.[key] !== undefined;
}

export function say(key: string, params: Params = {}): string {
  const text = lists.value[lang.value]?.[key] ?? lists.value.en?.[key];
  return text === undefined ? pretty(key) : format(text, params, lang.value);
}

/** The first of several keys that has words. */
export function first(keys: string[], params: Params = {}): string {
  return say(keys.find(has) ?? keys[0]!, params);
}

export function show(value: number | null | undefined, digits = 4): string {
  return value === null || value === undefined ? "–" : number(value, lang.value, digits);
}

function pretty(key: string): string {
  return key.slice(key.lastIndexOf(".") + 1).replace(/[_-]/g, " ");
}

export async function load(language: Lang): Promise<void> {
  if (lists.value[language] === undefined) {
    const answer = await fetch(`/words/${language}.json`);
    if (answer.ok) bring(language, await answer.json());
  }
  lang.value = language;
  document.documentElement.lang = language;
}
