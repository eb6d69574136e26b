// A study of a table: chosen here, started here, with its progress as it happens; closing the tab ends it.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { ask, askJson } from "../protocol/api";
import { events } from "../protocol/stream";
import type { StudyInfo, StudyPage } from "../protocol/types";
import { Icon } from "../shell/icons";
import { catalogue, refused, tell } from "../state/store";
import { say } from "../words/words";
import { answer, complete, forget, pages, turnTo } from "./desk";

interface Progress {
  step: string;
  done: number;
  of: number;
  elapsed: number;
  limit: number;
}
interface Lines {
  step: string;
  lines: string[];
}
type Event = { event: "progress"; data: Progress } | { event: "lines"; data: Lines } | { event: "end"; data: { study: StudyInfo } } | { event: "refused"; data: { sentence: string; control: null } };

const drop = (event: DragEvent): void => {
  event.preventDefault();
  if (event.dataTransfer?.files[0]) void upload(event.dataTransfer.files[0]);
};

const LARGEST = 200 * 2 ** 20;
const progress = signal<Progress | null>(null);
const log = signal<Lines[]>([]);
const reading = signal("");
const ending = signal(false);
const seconds = signal(0);
let closing: AbortController | null = null;

/** Send a file to be read; what it holds comes back as the page. */
export async function upload(file: File): Promise<void> {
  if (reading.value || progress.value) return;
  if (file.size > LARGEST) {
    refused.value = { sentence: say("analyst.new.too_large", { name: file.name, most: LARGEST / 2 ** 20 }), control: null };
    return;
  }
  reading.value = file.name;
  refused.value = null;
  try {
    const made = await (await ask(`/api/study/upload?name=${encodeURIComponent(file.name)}`, file)).json();
    forget();
    answer.value = made as StudyPage;
  } catch (error) {
    tell(error);
  } finally {
    reading.value = "";
  }
}

async function start(): Promise<void> {
  closing = new AbortController();
  log.value = [];
  ending.value = false;
  refused.value = null;
  const state = Object.fromEntries((answer.value?.controls ?? []).map(({ name }) => [name, complete.value[name]]));
  progress.value = { step: "read", done: 0, of: 0, elapsed: 0, limit: Number(state.seconds) };
  const began = performance.now();
  const clock = setInterval(() => (seconds.value = (performance.now() - began) / 1000), 500);
  try {
    const stream = await ask("/api/study/run", { v: 1, state }, closing.signal);
    for await (const { event, data } of events(stream.body!) as unknown as AsyncGenerator<Event>) {
      if (event === "progress") progress.value = data;
      else if (event === "lines") log.value = [...log.value, data];
      else if (event === "refused") refused.value = data;
      else {
        catalogue.value = { ...catalogue.value!, study: data.study };
        forget();
        turnTo(pages.value[0]!);
      }
    }
  } catch (error) {
    if (!closing.signal.aborted) tell(error);
  } finally {
    clearInterval(clock);
    progress.value = null;
    seconds.value = 0;
  }
}

function FileChoice({ large }: { large: boolean }): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  return (
    <div class="file-choice">
      <button type="button" class={large ? "primary" : "quiet"} disabled={Boolean(reading.value || progress.value)} onClick={() => input.current?.click()}>
        <Icon name="table" />
        {say(large ? "analyst.new.choose" : "analyst.new.another")}
      </button>
      <input ref={input} type="file" class="out" tabIndex={-1} aria-label={say("analyst.new.choose")} onChange={(event) => event.currentTarget.files?.[0] && void upload(event.currentTarget.files[0]).then(() => input.current && (input.current.value = ""))} />
      {large && <p class="note">{say("analyst.new.kinds", { most: LARGEST / 2 ** 20 })}</p>}
    </div>
  );
}

/** The choice of a table; below it, where there is one, the study. */
export function NewStudy({ empty }: { empty: boolean }): JSX.Element {
  const now = progress.value;
  const waits = reading.value ? (
    <p role="status">
      {say("analyst.new.reading", { name: reading.value })}
    </p>
  ) : null;
  if (empty)
    return (
      <div class="stage new-study" onDrop={drop}>
        {refused.value && <p class="refused" role="alert">{refused.value.sentence}</p>}
        <FileChoice large />
        {waits}
        <p class="note">{say("analyst.new.local")}</p>
      </div>
    );
  return (
    <div class="card new-study" onDrop={drop}>
      {now ? <Running now={now} /> : (
        <button type="button" class="primary" disabled={Boolean(reading.value)} onClick={start}>
          {say("analyst.start")}
        </button>
      )}
      {!now && <FileChoice large={false} />}
      {waits}
      {log.value.length > 0 && (
        <dl class="log" tabIndex={0} aria-label={say("analyst.new.found")}>
          {log.value.map(({ step, lines }) => (
            <>
              <dt>{say(`analyst.new.step.${step}`)}</dt>
              {lines.map((line) => (
                <dd class={step === "leaderboard" ? "figures" : ""}>{line}</dd>
              ))}
            </>
          ))}
        </dl>
      )}
    </div>
  );
}

function Running({ now }: { now: Progress }): JSX.Element {
  const left = Math.max(0, Math.ceil(now.limit - Math.max(seconds.value, now.elapsed)));
  return (
    <>
      <progress aria-label={say("analyst.running")} {...(now.of ? { max: now.of, value: now.done } : {})} />
      <p role="status">{say(now.of ? "analyst.new.at" : "analyst.new.at_step", { step: say(`analyst.new.step.${now.step}`), done: now.done, of: now.of })}</p>
      <p class="note">{left > 0 ? say("analyst.new.left", { seconds: left }) : say("analyst.new.soon")}</p>
      <div class="row">
        <button type="button" class="quiet" disabled={ending.value} onClick={() => ((ending.value = true), void askJson("/api/study/stop", { v: 1 }).catch(tell))}>
          {say("analyst.stop")}
        </button>
        <button type="button" class="quiet" onClick={() => closing?.abort()}>
          {say("analyst.new.cancel")}
        </button>
      </div>
    </>
  );
}
