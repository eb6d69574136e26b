// The keys of the page, and the list of them.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { go, last, page, play, playing, step } from "../state/store";
import { say } from "../words/words";
import { Icon } from "./icons";
import { choosePreset } from "./points";

export const helpShown = signal(false);

function writes(target: Element): boolean {
  return target.matches("input:not([type=range]):not([type=radio]):not([type=checkbox]):not([type=file]), textarea, select, [contenteditable]");
}

/** An element that a key already means something to. */
function acts(target: Element, key: string): boolean {
  if (writes(target)) return true;
  if (target.matches("input, [role=slider], [data-handle], [role=region]")) return key.startsWith("Arrow") || key === "Home" || key === "End" || key === " " || key.startsWith("Page");
  if (key === " ") return target.matches("summary, a, button") && (target.matches(":focus-visible") || target.id !== "step");
  return false;
}

export function followKeys(): () => void {
  const listen = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || page.value === "study") return;
    const target = event.target instanceof Element ? event.target : document.body;
    if (target.closest("dialog") || acts(target, event.key)) return;
    if (event.key === " ") play();
    else if (event.key === "ArrowRight") step(1);
    else if (event.key === "ArrowLeft") step(-1);
    else if (event.key === "Home") (playing.value = false), go(0);
    else if (event.key === "End") (playing.value = false), go(last.value);
    else if (/^[1-9]$/.test(event.key)) choosePreset(Number(event.key) - 1);
    else if (event.key === "?") helpShown.value = true;
    else if (event.key === "/") document.getElementById("search")?.focus();
    else return;
    event.preventDefault();
  };
  addEventListener("keydown", listen);
  return () => removeEventListener("keydown", listen);
}

const KEYS = ["space", "arrows", "ends", "numbers", "tab", "move", "choose", "delete", "enter", "search"] as const;

export function Help(): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = helpShown.value;
  useEffect(() => {
    if (open && !dialog.current!.open) dialog.current!.showModal();
  }, [open]);
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={() => (helpShown.value = false)}>
      <header>
        <h2 id="help-title">{say("shell.keys")}</h2>
        <button type="button" class="icon-button" aria-label={say("shell.close")} onClick={() => dialog.current!.close()}>
          <Icon name="close" />
        </button>
      </header>
      <dl>
        {KEYS.map((key) => (
          <div>
            <dt>
              <kbd>{say(`shell.key.${key}`)}</kbd>
            </dt>
            <dd>{say(`shell.key.${key}.does`)}</dd>
          </div>
        ))}
      </dl>
    </dialog>
  );
}
