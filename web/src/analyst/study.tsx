// The analyst's half: what `novum study` found, to be asked.
import type { JSX } from "preact";

export function StudyPage(): JSX.Element {
  return <main id="main" class="study" tabindex={-1} />;
}
