// The analyst's half: what `novum study` found, to be asked. Every page is controls and views that the server names.
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { refused } from "../state/store";
import { Card } from "../shell/card";
import { DeskOf, List } from "../shell/controls";
import { Source } from "../shell/drawn";
import { has, lang, say } from "../words/words";
import { answer, desk, here, pages, shared, source, study, turnTo, unchoose, visit, waiting } from "./desk";
import { NewStudy } from "./new";
import { TakeAway } from "./script";

const pageWord = (name: string): string => say(`analyst.page.${name}`);

export function StudyPage(): JSX.Element {
  useEffect(() => void visit(location.hash), []);
  useEffect(() => {
    document.title = `${pageWord(here.value)} · novum lab`;
    document.querySelector(".tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  });
  const info = study.value;
  return (
    <>
      <nav class="rail tabs" aria-label={say("analyst.pages")}>
        <div class="study-name">
          <strong>{info?.name}</strong>
          {info?.target && <span class="note">{say("analyst.of_target", { target: info.target, rows: info.rows ?? 0 })}</span>}
        </div>
        <div class="lists">
          <ul>
            {pages.value.map((name) => (
              <li>
                <a
                  href={`#/study/${name}`}
                  aria-current={here.value === name ? "page" : undefined}
                  onClick={(event) => {
                    event.preventDefault();
                    turnTo(name);
                  }}
                >
                  {pageWord(name)}
                </a>
              </li>
            ))}
          </ul>
        </div>
      </nav>
      <main id="main" class="scene study" tabindex={-1} aria-busy={waiting.value}>
        <div class="title">
          <h1>{has(`analyst.${here.value}.title`) ? say(`analyst.${here.value}.title`) : pageWord(here.value)}</h1>
          {has(`analyst.${here.value}.question`) && <p>{say(`analyst.${here.value}.question`)}</p>}
          {typeof shared.value.slice === "string" && study.value?.shared?.slice?.includes(here.value) && (
            <p class="notice">
              {say("analyst.only_slice", { slice: shared.value.slice })}
              <button type="button" class="quiet" onClick={() => unchoose("slice")}>
                {say("analyst.all_rows")}
              </button>
            </p>
          )}
          {typeof shared.value.row === "number" && here.value === "rows" && (
            <p class="notice">
              {say("analyst.chosen_row", { row: shared.value.row })}
              <button type="button" class="quiet" onClick={() => turnTo("what-if")}>
                {pageWord("what-if")}
              </button>
            </p>
          )}
        </div>
        <Source.Provider value={source}>
          <DeskOf.Provider value={desk}>
            <Body />
          </DeskOf.Provider>
        </Source.Provider>
      </main>
    </>
  );
}

function Body(): JSX.Element | null {
  const closed = study.value?.closed?.[here.value];
  void lang.value;
  if (closed) return <p class="stage closed">{has(closed) ? say(closed) : closed}</p>;
  if (here.value === "take-away") return <TakeAway />;
  const got = answer.value;
  if (!got && here.value === "new") return <NewStudy empty />;
  if (!got) return refused.value ? <p class="stage refused">{refused.value.sentence}</p> : <div class="stage" />;
  const numbers = got.views.filter((view) => view.kind === "number");
  const others = got.views.filter((view) => view.kind !== "number");
  if (here.value === "new" && !got.views.length) return <NewStudy empty />;
  const said = got.say ? say(has(`analyst.${got.page}.say.${got.say[0]}`) ? `analyst.${got.page}.say.${got.say[0]}` : got.say[0], got.say[1] ?? {}) : "";
  return (
    <>
      <div class="stage" key={got.page}>
        {others[0] && <Card view={others[0]} main={others[0].kind !== "table"} />}
        <div class="sentence" role="status">
          {refused.value ? <p class="refused">{refused.value.sentence}</p> : <p>{said}</p>}
          {got.notes.map((note) => (
            <p class="note">{typeof note === "string" ? note : say(`analyst.${got.page}.note.${note[0]}`, note[1] ?? {})}</p>
          ))}
        </div>
      </div>
      <aside class="side" aria-label={say("shell.controls")} key={`${got.page} side`}>
        {numbers.length > 0 && (
          <div class="numbers">
            {numbers.map((view) => (
              <Card key={view.id} view={view} />
            ))}
          </div>
        )}
        {desk.controls.length > 0 && (
          <div class="card settings">
            <fieldset class="controls">
              <legend class="out">{say("shell.controls")}</legend>
              <List />
            </fieldset>
          </div>
        )}
      </aside>
      <div class="views" key={`${got.page} views`}>
        {got.page === "new" && <NewStudy empty={false} />}
        {others.slice(1).map((view) => (
          <Card key={view.id} view={view} />
        ))}
      </div>
    </>
  );
}
