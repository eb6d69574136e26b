// The state of a study on the page: which of its pages, with which controls, and what the server answered.
import { batch, computed, signal } from "@preact/signals";
import { askJson } from "../protocol/api";
import { unpack } from "../protocol/arrays";
import type { Scene, State, StudyInfo, StudyPage } from "../protocol/types";
import { catalogue, hover, live, page, tell, refused } from "../state/store";
import { decode, encode, LONGEST_LINK, same } from "../state/url";
import type { Desk } from "../shell/controls";
import type { SourceOfViews } from "../shell/drawn";
import { theme } from "../shell/theme";
import { has, lang, say, show } from "../words/words";
import type { Arrays, Frame } from "../state/frames";

export const study = computed<StudyInfo | null>(() => catalogue.value?.study ?? null);
export const pages = computed<string[]>(() => (study.value?.pages ? [...study.value.pages, "take-away", "new"] : ["new"]));
export const here = signal("leaderboard");
/** What is chosen on one page and means the same on others: a slice of the rows, a row. */
export const shared = signal<State>({});
const differences = signal<Record<string, State>>({});
export const answer = signal<StudyPage | null>(null);
export const waiting = signal(false);

export const difference = computed<State>(() => differences.value[here.value] ?? {});
const arrays = computed<Arrays>(() => Object.fromEntries(Object.entries(answer.value?.arrays ?? {}).map(([name, packed]) => [name, unpack(packed)])));

const sharing = (name: string): string[] => Object.entries(study.value?.shared ?? {}).flatMap(([control, on]) => (on.includes(name) ? [control] : []));
const stateOf = (name: string): State => ({ ...differences.value[name], ...Object.fromEntries(sharing(name).flatMap((control) => (control in shared.value ? [[control, shared.value[control]]] : []))) });

/** What a script needs to repeat: the state of every page that was changed. */
export const states = (): State => Object.fromEntries(pages.value.map((name) => [name, stateOf(name)]).filter(([, state]) => Object.keys(state as State).length > 0));

/** A study has taken the place of another: nothing that was set for that one is left. */
export function forget(): void {
  batch(() => {
    differences.value = {};
    shared.value = {};
    answer.value = null;
  });
}

let queued = false;
let busy = false;
let stale = false;

/** Ask for the page on show: one request at a time, the newest wish last. */
export function refresh(): void {
  stale = true;
  if (queued) return;
  queued = true;
  requestAnimationFrame(() => {
    queued = false;
    if (!busy) void fetchPage();
  });
}

async function fetchPage(): Promise<void> {
  const name = here.value;
  stale = false;
  if (name === "take-away" || study.value?.closed?.[name]) return;
  busy = true;
  waiting.value = true;
  const started = performance.now();
  try {
    const made = await askJson<StudyPage>(`/api/study/${name}`, { v: 1, state: stateOf(name) });
    if (name === here.value)
      batch(() => {
        answer.value = made;
        refused.value = null;
      });
    requestAnimationFrame(() => performance.measure("first-frame", { start: started, end: performance.now() }));
  } catch (error) {
    tell(error);
  } finally {
    busy = false;
    waiting.value = false;
    if (stale) void fetchPage();
  }
}

export function turnTo(name: string, state?: State): void {
  batch(() => {
    if (here.value !== name) answer.value = null;
    here.value = name;
    refused.value = null;
    hover.value = null;
    if (state) differences.value = { ...differences.value, [name]: state };
  });
  refresh();
  void keepAddress();
}

export function change(values: State): void {
  const usual = new Map((answer.value?.controls ?? []).map((control) => [control.name, control.default]));
  const next = { ...difference.value };
  for (const [name, value] of Object.entries(values)) {
    const common = sharing(here.value).includes(name);
    const target = common ? { ...shared.value } : next;
    if (usual.has(name) && same(usual.get(name), value)) delete target[name];
    else target[name] = value;
    if (common) choose(name, target);
  }
  if (!("row" in values) || here.value !== ASKED) differences.value = { ...differences.value, [here.value]: next };
  refresh();
  void keepAddress();
}

const ASKED = "what-if";

/** Take what is common to pages; another row begins with its own cells, not with those of the row before. */
function choose(name: string, next: State): void {
  shared.value = next;
  if (name === "row") differences.value = { ...differences.value, [ASKED]: Object.fromEntries(Object.entries(differences.value[ASKED] ?? {}).filter(([cell]) => !/^c\d+$/.test(cell))) };
}

export function unchoose(name: string): void {
  choose(name, Object.fromEntries(Object.entries(shared.value).filter(([one]) => one !== name)));
  refresh();
}

async function keepAddress(): Promise<void> {
  const state = stateOf(here.value);
  const hash = `#/study/${here.value}${Object.keys(state).length ? `?s=${await encode(state)}` : ""}`;
  if (hash.length <= LONGEST_LINK && page.value === "study") history.replaceState(null, "", hash);
}

/** Go where an address of the study says; anything else is its first page. */
export async function visit(hash: string): Promise<void> {
  const found = /^#\/study\/([\w-]+)(?:\?s=([\w-]+))?/.exec(hash);
  let state: State = {};
  try {
    if (found?.[2]) state = (await decode(found[2])) as State;
  } catch {
    state = {};
  }
  const name = found && pages.value.includes(found[1]!) ? found[1]! : pages.value[0]!;
  const common = sharing(name);
  shared.value = { ...shared.value, ...Object.fromEntries(Object.entries(state).filter(([one]) => common.includes(one))) };
  turnTo(name, Object.fromEntries(Object.entries(state).filter(([one]) => !common.includes(one))));
}

export const complete = computed<State>(() => ({ ...(answer.value?.state ?? {}), ...stateOf(here.value) }));

const prefix = (): string => `analyst.${answer.value?.page ?? here.value}`;

export const desk: Desk = {
  get controls() {
    const views = answer.value?.views ?? [];
    return (answer.value?.controls ?? []).filter((control) => !control.drag && !views.some((view) => view.pick === control.name && view.picked) && !views.some((view) => view.pointer === control.name));
  },
  get state() {
    return complete.value;
  },
  get live() {
    return live.value;
  },
  get wrong() {
    return refused.value?.control ?? null;
  },
  change,
  label: ({ name, title }) => title ?? say(`${prefix()}.control.${name}`),
  choice(control, choice) {
    const given = control.choice_titles?.[control.choices?.findIndex((c) => same(c, choice)) ?? -1];
    const key = `${prefix()}.choice.${control.name}.${choice}`;
    return given ?? (control.name === "slice" && choice === "" ? say("analyst.all_rows") : has(key) ? say(key) : String(choice));
  },
};

const cursor = { value: 0 };

export const source: SourceOfViews = {
  title: (view) => view.title ?? say(`${prefix()}.view.${view.id}`),
  context(view) {
    const got = answer.value;
    if (!got) return null;
    const frame: Frame = { n: 0, part: "", values: got.values, arrays: arrays.value, say: got.say, ms: 0 };
    const pseudo = { name: got.page, family: "", rows: [], deep: false, limit: 0, controls: got.controls, points: null, views: got.views, parts: [], rising: null } as Scene;
    const over = hover.value;
    return {
      view,
      scene: pseudo,
      words: prefix(),
      state: complete.value,
      frame,
      before: null,
      frames: [frame],
      at: 0,
      mix: 1,
      head: arrays.value,
      handles: {},
      theme: theme.value,
      lang: lang.value,
      hover: over && view.linked === over.set ? over.index : null,
      live: live.value,
      actions: { change, dragged: () => undefined, go: () => undefined, addClass: () => 0, cursor },
      say,
      show,
    };
  },
};
