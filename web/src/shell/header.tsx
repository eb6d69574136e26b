// The head of the page: where one is, the two languages, light and dark, and what can be taken away.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { ask, Refusal } from "../protocol/api";
import type { State } from "../protocol/types";
import { at, catalogue, complete, difference, frame, go, link, live, notice, offline, open, page, scene, tell } from "../state/store";
import { canonical, known, LONGEST_LINK } from "../state/url";
import { lang, LANGS, load, say } from "../words/words";
import { download } from "./files";
import { helpShown } from "./help";
import { Icon } from "./icons";
import { shown } from "./rail";
import { dark, turn } from "./theme";

const told = signal("");

async function copyLink(): Promise<void> {
  const hash = await link();
  if (hash.length > LONGEST_LINK) {
    notice.value = say("shell.link_too_long");
    return;
  }
  try {
    await navigator.clipboard.writeText(location.origin + location.pathname + hash);
    notice.value = say("shell.link_copied");
  } catch {
    location.hash = hash;
  }
}

function saveState(): void {
  const content = canonical({ v: 1, scene: scene.value!.name, state: difference.value, frame: at.value });
  download(`${scene.value!.name}.json`, content, "application/json");
}

/** A state out of a file; what is wrong with it is said, and nothing is taken. */
export async function readState(file: File): Promise<void> {
  try {
    if (file.size > 1e6) throw new Error("size");
    const value = JSON.parse(await file.text()) as { v?: number; scene?: string; state?: State; frame?: number };
    const target = catalogue.value?.scenes.find((s) => s.name === value.scene);
    if (!target || (value.v ?? 1) !== 1 || typeof value.state !== "object" || !value.state) throw new Error("scene");
    const { state, unknown } = known(target, value.state);
    open(target, state, Number.isInteger(value.frame) ? value.frame! : 0);
    if (unknown.length) notice.value = say("shell.unknown_keys", { keys: unknown.join(", ") });
  } catch {
    notice.value = say("shell.bad_state", { file: file.name });
  }
}

async function saveOffline(): Promise<void> {
  try {
    const answer = await ask("/api/export", { v: 1, scene: scene.value!.name, state: difference.value, frame: frame.value?.n ?? 0, part: frame.value?.part ?? "", lang: lang.value });
    download(`${scene.value!.name}.html`, await answer.blob(), "text/html");
  } catch (error) {
    if (error instanceof Refusal) notice.value = error.sentence;
    else tell(error);
  }
}

export function Header(): JSX.Element {
  return (
    <header class="top">
      {!__OFFLINE__ && page.value === "scene" && (
        <button type="button" class="icon-button rail-button" aria-label={say("shell.scenes")} aria-expanded={shown.value} onClick={() => (shown.value = !shown.value)}>
          <Icon name={shown.value ? "close" : "menu"} />
        </button>
      )}
      <a class="brand" href="#/kmeans" onClick={(event) => offline.value && event.preventDefault()}>
        novum <span>lab</span>
      </a>
      {!__OFFLINE__ && catalogue.value && (
        <div class="switch pages" role="group" aria-label={say("shell.parts_of_lab")}>
          <Part name="scene" icon="play" text={say("shell.scenes")} />
          <Part name="study" icon="table" text={say(catalogue.value.study ? "shell.study" : "shell.own_table")} />
        </div>
      )}
      <span class="room" />
      {page.value === "scene" && scene.value && (
        <details class="menu share" onKeyDown={(event) => event.key === "Escape" && event.currentTarget.removeAttribute("open")}>
          <summary aria-label={say("shell.share")} title={say("shell.share")}>
            <Icon name="share" />
            <span class="wide-only">{say("shell.share")}</span>
          </summary>
          <ul onClick={(event) => (event.target as Element).closest("button") && event.currentTarget.closest("details")!.removeAttribute("open")}>
            {!__OFFLINE__ && (
              <>
                <Item name="copy" text={say("shell.copy_link")} act={copyLink} />
                <Item name="save" text={say("shell.save_state")} act={saveState} />
                <li>
                  <label class="file">
                    <Icon name="share" />
                    {say("shell.open_state")}
                    <input type="file" accept="application/json,.json" class="out" onChange={(event) => event.currentTarget.files?.[0] && readState(event.currentTarget.files[0])} />
                  </label>
                </li>
              </>
            )}
            {!__OFFLINE__ && live.value && <Item name="save" text={say("shell.save_offline")} act={saveOffline} />}
            <Item name="save" text={say("shell.print")} act={() => print()} />
          </ul>
        </details>
      )}
      <div class="switch" role="group" aria-label={say("shell.language")}>
        {LANGS.map((language) => (
          <button type="button" lang={language} aria-pressed={lang.value === language} class={lang.value === language ? "on" : ""} onClick={() => load(language)} title={{ en: "English", it: "Italiano" }[language]}>
            {language.toUpperCase()}
          </button>
        ))}
      </div>
      <button type="button" class="icon-button" id="theme" aria-label={say(dark.value ? "shell.light" : "shell.dark")} title={say(dark.value ? "shell.light" : "shell.dark")} onClick={turn}>
        <Icon name={dark.value ? "sun" : "moon"} />
      </button>
      <button type="button" class="icon-button help-button" title={say("shell.keys")} onClick={() => (helpShown.value = true)}>
        <b>?</b>
        <span class="out">{say("shell.keys")}</span>
      </button>
      <span class="out" role="status">
        {told.value}
      </span>
    </header>
  );
}

/** A part of the lab; where there is little room, the other one alone, as an icon. */
function Part({ name, icon, text }: { name: "scene" | "study"; icon: "play" | "table"; text: string }): JSX.Element {
  const on = page.value === name;
  return (
    <button type="button" aria-pressed={on} aria-label={text} class={on ? "on" : ""} onClick={() => (page.value = name)}>
      <Icon name={icon} />
      <span>{text}</span>
    </button>
  );
}

function Item({ name, text, act }: { name: "copy" | "save"; text: string; act(): unknown }): JSX.Element {
  return (
    <li>
      <button type="button" onClick={act}>
        <Icon name={name} />
        {text}
      </button>
    </li>
  );
}

export { complete, go };
