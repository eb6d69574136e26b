// The rail: scenes by family or by chapter of the notes, and a search over both.
import { computed, signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { askJson } from "../protocol/api";
import type { Scene } from "../protocol/types";
import { catalogue, keep, open, page, recall, scene } from "../state/store";
import { first, has, lang, say } from "../words/words";
import { Icon } from "./icons";

export const shown = signal(false);
const by = signal<"family" | "chapter">(recall("novum-lab-rail") === "chapter" ? "chapter" : "family");
const query = signal("");
const found = signal<{ scene: string; why?: string; rows?: string[] }[]>([]);
let timer = 0;

const titleOf = (s: Scene): string => say(`scene.${s.name}.title`);
const plain = (text: string): string => text.toLowerCase().normalize("NFD").replace(/[\u0300-\u036f]/g, "");

function look(text: string): void {
  query.value = text;
  clearTimeout(timer);
  found.value = [];
  if (text.trim().length < 2) return;
  timer = window.setTimeout(async () => {
    try {
      const answer = await askJson<typeof found.value>(`/api/find?q=${encodeURIComponent(text)}`);
      if (query.value === text) found.value = answer;
    } catch {
      // the titles on the page are searched all the same
    }
  }, 180);
}

interface Group {
  title: string;
  scenes: Scene[];
}

const groups = computed<Group[]>(() => {
  const list = catalogue.value?.scenes ?? (scene.value ? [scene.value] : []);
  void lang.value;
  if (by.value === "family") {
    const families = catalogue.value?.families ?? [...new Set(list.map((s) => s.family))];
    return families.map((family) => ({ title: familyWord(family), scenes: list.filter((s) => s.family === family) })).filter((g) => g.scenes.length);
  }
  const chapters = catalogue.value?.chapters ?? [];
  const made: Group[] = [];
  for (const { source, chapter, title } of chapters) {
    const start = `${source}/${chapter}/`;
    const scenes = list.filter((s) => s.rows.some((row) => row.id.startsWith(start)));
    if (scenes.length) made.push({ title: `${source} · ${chapter} ${title}`, scenes });
  }
  return made;
});

export function familyWord(family: string): string {
  return has(`shell.family.${family}`) ? say(`shell.family.${family}`) : first([`family.${family}`]);
}

function choose(target: Scene): void {
  shown.value = false;
  open(target);
}

export function Rail(): JSX.Element {
  const name = scene.value?.name;
  useEffect(() => document.querySelector(".rail [aria-current]")?.scrollIntoView({ block: "nearest" }), [name, by.value]);
  const text = plain(query.value.trim());
  const list = catalogue.value?.scenes ?? [];
  const hits = text ? list.filter((s) => plain(`${s.name} ${titleOf(s)} ${s.rows.map((r) => `${r.id} ${r.title}`).join(" ")}`).includes(text)) : [];
  const more = found.value.map((f) => list.find((s) => s.name === f.scene)).filter((s): s is Scene => s !== undefined && !hits.includes(s));
  const all = [...hits, ...new Set(more)];
  return (
    <nav class={shown.value ? "rail shown" : "rail"} aria-label={say("shell.scenes")} onKeyDown={(event) => event.key === "Escape" && (shown.value = false)}>
      <div class="search">
        <Icon name="search" />
        <input type="search" id="search" placeholder={say("shell.search")} aria-label={say("shell.search")} value={query.value} onInput={(event) => look(event.currentTarget.value)} />
      </div>
      {!text && (
        <div class="switch" role="group" aria-label={say("shell.order")}>
          {(["family", "chapter"] as const).map((order) => (
            <button type="button" aria-pressed={by.value === order} class={by.value === order ? "on" : ""} onClick={() => ((by.value = order), keep("novum-lab-rail", order))}>
              {say(`shell.by_${order}`)}
            </button>
          ))}
        </div>
      )}
      <div class="lists">
        {text ? (
          all.length ? (
            <ul>{all.map((s) => <Entry scene={s} why={found.value.find((f) => f.scene === s.name)?.why} />)}</ul>
          ) : (
            <p class="note">{say("shell.nothing_found")}</p>
          )
        ) : (
          groups.value.map((group) => (
            <section key={group.title}>
              <h2>{group.title}</h2>
              <ul>
                {group.scenes.map((s) => (
                  <Entry scene={s} />
                ))}
              </ul>
            </section>
          ))
        )}
      </div>
    </nav>
  );
}

function Entry({ scene: target, why }: { scene: Scene; why?: string | undefined }): JSX.Element {
  const current = page.value === "scene" && scene.value?.name === target.name;
  return (
    <li>
      <a
        href={`#/${target.name}`}
        aria-current={current ? "page" : undefined}
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          choose(target);
        }}
      >
        {titleOf(target)}
        {target.deep && <span class="tag">deep</span>}
        {why && <small>{why}</small>}
      </a>
    </li>
  );
}
