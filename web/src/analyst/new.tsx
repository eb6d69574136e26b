// A study of a table: started here, with its progress as it happens; closing the stream keeps what is finished.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { ask } from "../protocol/api";
import { events } from "../protocol/stream";
import type { StudyInfo } from "../protocol/types";
import { catalogue, refused, tell } from "../state/store";
import { say } from "../words/words";
import { complete, pages, turnTo } from "./desk";

interface Progress {
  step: string;
  done: number;
  of: number | null;
  sentence: string;
}

const progress = signal<Progress | null>(null);
let stop: AbortController | null = null;

async function start(): Promise<void> {
  stop = new AbortController();
  progress.value = { step: "", done: 0, of: null, sentence: say("analyst.running") };
  try {
    const answer = await ask("/api/study/run", { v: 1, state: complete.value }, stop.signal);
    for await (const { event, data } of events(answer.body!) as AsyncGenerator<{ event: string; data: unknown }>) {
      if (event === "progress") progress.value = data as Progress;
      else if (event === "refused") refused.value = data as { sentence: string; control: string | null };
      else if (event === "end") {
        catalogue.value = { ...catalogue.value!, study: (data as { study: StudyInfo }).study };
        turnTo(pages.value[0]!);
      }
    }
  } catch (error) {
    if (!stop.signal.aborted) tell(error);
  } finally {
    progress.value = null;
  }
}

export function NewStudy(): JSX.Element {
  const now = progress.value;
  return (
    <div class="new-study">
      {now ? (
        <>
          <progress aria-label={say("analyst.running")} {...(now.of ? { max: now.of, value: now.done } : {})} />
          <p role="status">{now.sentence}</p>
          <button type="button" class="quiet" onClick={() => stop?.abort()}>
            {say("analyst.stop")}
          </button>
        </>
      ) : (
        <button type="button" class="primary" onClick={start}>
          {say("analyst.start")}
        </button>
      )}
    </div>
  );
}
