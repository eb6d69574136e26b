// Light and dark: the system's wish, until the reader says otherwise.
import { computed, effect, signal } from "@preact/signals";
import { DARK, LIGHT } from "../marks/palette";
import { keep, recall } from "../state/store";

export type Choice = "auto" | "light" | "dark";

const system = matchMedia("(prefers-color-scheme: dark)");
const systemDark = signal(system.matches);
const printing = signal(false);
system.addEventListener("change", () => (systemDark.value = system.matches));
addEventListener("beforeprint", () => (printing.value = true));
addEventListener("afterprint", () => (printing.value = false));

const kept = recall("novum-lab-theme");
export const choice = signal<Choice>(kept === "light" || kept === "dark" ? kept : "auto");
export const dark = computed(() => !printing.value && (choice.value === "auto" ? systemDark.value : choice.value === "dark"));
export const theme = computed(() => (dark.value ? DARK : LIGHT));

export function turn(): void {
  choice.value = dark.value ? "light" : "dark";
  keep("novum-lab-theme", choice.value);
}

export function followTheme(): void {
  effect(() => {
    document.documentElement.dataset.theme = dark.value ? "dark" : "light";
  });
}
