// A card: one view under its title, as a picture or as a table, with files to take away.
import { signal, type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { View } from "../protocol/types";
import { run, scene } from "../state/store";
import type { Drawer } from "../views/context";
import { bring, ready } from "../views/index";
import { first, has, lang, say } from "../words/words";
import { context, Drawn } from "./drawn";
import { csv, download, picturePng, pictureSvg } from "./files";
import { Icon } from "./icons";

const arrived: Record<string, Signal<Drawer | undefined>> = {};

function drawerOf(kind: string): Drawer | undefined {
  const kept = (arrived[kind] ??= signal(ready(kind)));
  if (!kept.value) void bring(kind).then((drawer) => (kept.value = drawer));
  return kept.value;
}

export function title(view: View): string {
  const key = `scene.${scene.value?.name}.view.${view.id}`;
  return has(key) ? say(key) : first([`scene.${scene.value?.name}.value.${view.value ?? view.id}`]);
}

export function Card({ view, main = false, children }: { view: View; main?: boolean; children?: ComponentChildren }): JSX.Element {
  const drawer = drawerOf(view.kind);
  const table = useSignal(false);
  const html = view.kind === "table" || view.kind === "number";
  const name = title(view);
  return (
    <section class={`card kind-${view.kind}${main ? " main" : ""}${view.span === 2 ? " wide" : ""}`} aria-label={name} data-view={view.id}>
      <header>
        <h2>{name}</h2>
        <details class="menu" onKeyDown={(event) => event.key === "Escape" && event.currentTarget.removeAttribute("open")}>
          <summary aria-label={say("shell.view_menu", { view: name })}>
            <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
              <circle cx="4" cy="10" r="1.6" fill="currentColor" />
              <circle cx="10" cy="10" r="1.6" fill="currentColor" />
              <circle cx="16" cy="10" r="1.6" fill="currentColor" />
            </svg>
          </summary>
          <ul onClick={(event) => event.currentTarget.closest("details")!.removeAttribute("open")}>
            {!html && (
              <li>
                <button type="button" onClick={() => (table.value = !table.value)}>
                  <Icon name="table" />
                  {say(table.value ? "shell.as_picture" : "shell.as_table")}
                </button>
              </li>
            )}
            <li>
              <button type="button" onClick={() => drawer && csv(view, drawer)}>
                <Icon name="save" />
                CSV
              </button>
            </li>
            {!html && (
              <>
                <li>
                  <button type="button" onClick={() => drawer && picturePng(view, drawer, main)}>
                    <Icon name="save" />
                    PNG
                  </button>
                </li>
                <li>
                  <button type="button" onClick={() => drawer && pictureSvg(view, drawer, main)}>
                    <Icon name="save" />
                    SVG
                  </button>
                </li>
              </>
            )}
          </ul>
        </details>
      </header>
      {!drawer ? <div class="drawn empty" /> : html ? <Html view={view} kind={view.kind} /> : table.value ? <AsTable view={view} drawer={drawer} /> : <Drawn key={view.id} view={view} drawer={drawer} main={main} />}
      {children}
    </section>
  );
}

type HtmlView = (props: { view: View }) => JSX.Element | null;
const pages: Record<string, Signal<HtmlView | undefined>> = {};

/** Tables and numbers are no pictures: they are elements of the page. */
function Html({ view, kind }: { view: View; kind: string }): JSX.Element | null {
  const kept = (pages[kind] ??= signal<HtmlView | undefined>(undefined));
  useEffect(() => {
    if (!kept.value) void (kind === "table" ? import("../views/table") : import("../views/number")).then((module) => (kept.value = module.Html));
  }, [kind]);
  const Made = kept.value;
  return Made ? <Made view={view} /> : null;
}

export const ROWS_SHOWN = 200;

export function AsTable({ view, drawer }: { view: View; drawer: Drawer }): JSX.Element | null {
  const c = context(view);
  void [run.value, lang.value];
  if (!c) return null;
  const made = drawer.table(c);
  return (
    <div class="table-holder" tabindex={0} role="region" aria-label={title(view)}>
      <table>
        <thead>
          <tr>
            {made.columns.map((name) => (
              <th scope="col">{name || <span class="out">{say("shell.row_word")}</span>}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {made.rows.slice(0, ROWS_SHOWN).map((row) => (
            <tr>
              {row.map((cell) => (
                <td class={typeof cell === "number" ? "figure" : ""}>{typeof cell === "number" ? c.show(cell, 6) : (cell ?? "–")}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {made.rows.length > ROWS_SHOWN && <p class="note">{say("shell.more_rows", { n: made.rows.length - ROWS_SHOWN })}</p>}
    </div>
  );
}

export { download };
