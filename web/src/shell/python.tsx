// The script of the frame on show, to be read, copied and run.
import { effect, signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { askJson, ask } from "../protocol/api";
import { at, difference, frame, keep, live, recall, run, scene, tell } from "../state/store";
import { say } from "../words/words";
import { download } from "./files";
import { Icon } from "./icons";

export const fixed = signal<string | null>(null);
const text = signal("");
const opened = signal(recall("novum-lab-python") === "open");
const copied = signal(false);

const TOKENS = /(#[^\n]*)|("""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|\b(from|import|as|def|return|for|in|if|else|elif|while|class|with|lambda|not|and|or|is|None|True|False|yield|raise|try|except)\b|\b(\d[\d_.eE+-]*)\b/g;

export function colored(code: string): (JSX.Element | string)[] {
  const out: (JSX.Element | string)[] = [];
  let from = 0;
  for (const found of code.matchAll(TOKENS)) {
    out.push(code.slice(from, found.index));
    const kind = found[1] ? "comment" : found[2] ? "string" : found[3] ? "keyword" : "figure";
    out.push(<span class={kind}>{found[0]}</span>);
    from = found.index + found[0].length;
  }
  out.push(code.slice(from));
  return out;
}

function request(): { v: number; scene: string; state: unknown; frame: number; part: string } {
  return { v: 1, scene: scene.peek()!.name, state: difference.peek(), frame: frame.peek()?.n ?? 0, part: frame.peek()?.part ?? "" };
}

export function Python(): JSX.Element {
  useEffect(() => {
    let timer = 0;
    let stop: AbortController | null = null;
    const end = effect(() => {
      void [at.value, run.value?.head, difference.value];
      if (!opened.value || !live.value || !scene.value || !frame.value) return;
      clearTimeout(timer);
      stop?.abort();
      timer = window.setTimeout(async () => {
        stop = new AbortController();
        try {
          text.value = (await askJson<{ python: string }>("/api/code", request(), stop.signal)).python;
        } catch {
          if (!stop.signal.aborted) text.value = "";
        }
      }, 120);
    });
    return () => (clearTimeout(timer), stop?.abort(), end());
  }, []);
  const code = live.value ? text.value : (fixed.value ?? "");
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(code);
      copied.value = true;
      setTimeout(() => (copied.value = false), 1600);
    } catch {
      getSelection()?.selectAllChildren(document.getElementById("code")!);
    }
  };
  const notebook = async (): Promise<void> => {
    try {
      download(`${scene.value!.name}.ipynb`, await (await ask("/api/notebook", request())).blob());
    } catch (error) {
      tell(error);
    }
  };
  return (
    <details class="card python" open={opened.value} onToggle={(event) => ((opened.value = event.currentTarget.open), keep("novum-lab-python", opened.value ? "open" : "shut"))}>
      <summary>
        <h2>Python</h2>
        <span class="note">{say("shell.python_note")}</span>
      </summary>
      {code ? (
        <>
          <div class="row">
            <button type="button" class="quiet" onClick={copy}>
              <Icon name="copy" />
              <span aria-live="polite">{say(copied.value ? "shell.copied" : "shell.copy")}</span>
            </button>
            {live.value && (
              <button type="button" class="quiet" onClick={notebook}>
                <Icon name="save" />
                {say("shell.notebook")}
              </button>
            )}
          </div>
          <pre tabindex={0} role="region" aria-label="Python">
            <code id="code">{colored(code)}</code>
          </pre>
        </>
      ) : (
        <p class="note">{say(live.value ? "shell.code_coming" : "shell.needs_server")}</p>
      )}
    </details>
  );
}
