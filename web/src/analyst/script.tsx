// Take away: the study as a script or a notebook that a colleague can run.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { ask, askJson } from "../protocol/api";
import { refused, tell } from "../state/store";
import { download } from "../shell/files";
import { Icon } from "../shell/icons";
import { colored } from "../shell/python";
import { say } from "../words/words";
import { states } from "./desk";

const text = signal("");

const request = (form: "python" | "notebook"): object => ({ v: 1, state: states(), form });

export function TakeAway(): JSX.Element {
  useEffect(() => {
    askJson<{ python: string }>("/api/study/script", request("python")).then(
      (answer) => (text.value = answer.python),
      (error) => tell(error),
    );
  }, []);
  const notebook = async (): Promise<void> => {
    try {
      download("study.ipynb", await (await ask("/api/study/script", request("notebook"))).blob());
    } catch (error) {
      tell(error);
    }
  };
  return (
    <section class="card python stage" aria-label={say("analyst.script")}>
      <p class="note">{refused.value?.sentence ?? say("analyst.take_note")}</p>
      <div class="row">
        <button type="button" class="quiet" onClick={() => navigator.clipboard.writeText(text.value)}>
          <Icon name="copy" />
          {say("shell.copy")}
        </button>
        <button type="button" class="quiet" onClick={() => download("study.py", text.value, "text/x-python")}>
          <Icon name="save" />
          study.py
        </button>
        <button type="button" class="quiet" onClick={notebook}>
          <Icon name="save" />
          {say("shell.notebook")}
        </button>
      </div>
      <pre tabindex={0} role="region" aria-label="Python">
        <code>{colored(text.value)}</code>
      </pre>
    </section>
  );
}
