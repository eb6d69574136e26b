// The step bar: one large button, the frames under a slider, and the sentence of the frame.
import { effect, signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { at, expected, frame, go, last, mix, play, playing, refused, run, scene, step, waiting } from "../state/store";
import { has, lang, say } from "../words/words";
import { Icon } from "./icons";

export function sentence(): string {
  const said = frame.value?.say;
  if (!said) return "";
  const key = said[0];
  const full = `scene.${scene.value?.name}.say.${key}`;
  return say(has(full) ? full : key, said[1] ?? {});
}

export function StepBar(): JSX.Element | null {
  const current = run.value;
  const n = current?.frames.length ?? 0;
  const more = current ? Math.max(0, expected(current) - n) : 0;
  const atEnd = at.value >= last.value;
  if (n <= 1 && !more) return <Sentence />;
  const parts = scene.value?.parts ?? [];
  const part = frame.value?.part;
  return (
    <div class="steps">
      <div class="buttons">
        <button type="button" class="round" aria-label={say("shell.first")} title={say("shell.first")} disabled={at.value === 0} onClick={() => (play(false), go(0))}>
          <Icon name="first" />
        </button>
        <button type="button" class="round" aria-label={say("shell.back")} title={say("shell.back")} disabled={at.value === 0} onClick={() => step(-1)}>
          <Icon name="back" />
        </button>
        <button type="button" class="primary" id="step" onClick={() => (atEnd ? go(0) : step(1))}>
          <Icon name={atEnd ? "undo" : "step"} fill={!atEnd} />
          {say(atEnd ? "shell.again" : "shell.step")}
        </button>
        <button type="button" class="round" aria-label={say(playing.value ? "shell.pause" : "shell.play")} title={`${say(playing.value ? "shell.pause" : "shell.play")} (${say("shell.space")})`} onClick={() => play()}>
          <Icon name={playing.value ? "pause" : "play"} fill />
        </button>
      </div>
      <div class="scrub">
        <input
          type="range"
          id="scrub"
          min={0}
          max={last.value}
          step={1}
          value={Math.min(at.value, last.value)}
          aria-label={say("shell.frame_word")}
          aria-valuetext={where()}
          onInput={(event) => ((playing.value = false), go(Number(event.currentTarget.value)))}
        />
        <span class="where">
          {where()}
          {part && parts.includes(part) && <span class="part">{partWord(part)}</span>}
          {waiting.value && <span class="working" aria-hidden="true" />}
        </span>
      </div>
      <Sentence />
    </div>
  );
}

const partWord = (part: string): string => (has(`scene.${scene.value?.name}.part.${part}`) ? say(`scene.${scene.value?.name}.part.${part}`) : say(`shell.part.${part}`));

function where(): string {
  const frames = run.value?.frames;
  if (!frames?.length) return "";
  return say("shell.frame", { n: frame.value!.n, of: frames.at(-1)!.n });
}

function Sentence(): JSX.Element {
  return (
    <div class="sentence">
      {refused.value ? (
        <p class="refused" id="refused">
          {refused.value.sentence}
        </p>
      ) : (
        <p>{sentence() || "\u00a0"}</p>
      )}
    </div>
  );
}

const spoken = signal("");

/** What a screen reader hears: the sentence at rest, and at most one in two seconds while the run plays. */
export function Spoken(): JSX.Element {
  useEffect(() => {
    let since = 0;
    let timer = 0;
    const end = effect(() => {
      void [at.value, run.value, lang.value, mix.value];
      const text = refused.value?.sentence ?? [where(), sentence()].filter(Boolean).join(". ");
      clearTimeout(timer);
      const wait = playing.value ? Math.max(0, 2000 - (performance.now() - since)) : 150;
      timer = window.setTimeout(() => ((since = performance.now()), (spoken.value = text)), wait);
    });
    return () => (clearTimeout(timer), end());
  }, []);
  return (
    <p class="out" role="status" aria-live="polite">
      {spoken.value}
    </p>
  );
}
