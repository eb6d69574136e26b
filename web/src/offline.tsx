// The page as one file: a recorded run that can be stepped through, without a server.
import { render } from "preact";
import { App } from "./shell/app";
import { fixed } from "./shell/python";
import { followTheme } from "./shell/theme";
import type { Recorded } from "./state/frames";
import { adopt, offline } from "./state/store";
import { decode } from "./state/url";
import { drawer as bars } from "./views/bars";
import { drawer as curve } from "./views/curve";
import { drawer as graph } from "./views/graph";
import { drawer as grid } from "./views/grid";
import { drawer as heat } from "./views/heat";
import { drawer as image } from "./views/image";
import { put } from "./views/index";
import { drawer as intervals } from "./views/intervals";
import { drawer as network } from "./views/network";
import { drawer as number } from "./views/number";
import { drawer as plane } from "./views/plane";
import { drawer as table } from "./views/table";
import { drawer as tree } from "./views/tree";
import { drawer as trellis } from "./views/trellis";
import { bring, lang, LANGS, type Lang } from "./words/words";

for (const [kind, drawer] of Object.entries({ bars, curve, graph, grid, heat, image, intervals, network, number, plane, table, tree, trellis })) put(kind, drawer);

/** JSON in an element of the page, or (type text/plain) deflated as the state in an address is. */
async function data<T>(id: string): Promise<T | null> {
  const element = document.getElementById(id) as HTMLScriptElement | null;
  if (!element?.textContent) return null;
  return (element.type === "text/plain" ? await decode(element.textContent.trim()) : JSON.parse(element.textContent)) as T;
}

async function begin(): Promise<void> {
  const meta = (await data<{ frame?: number; lang?: string; python?: string; command?: string }>("meta")) ?? {};
  const words = (await data<Partial<Record<Lang, Record<string, string>>>>("words")) ?? {};
  for (const language of LANGS) if (words[language]) bring(language, words[language]);
  const wished = meta.lang ?? navigator.language.slice(0, 2);
  lang.value = words[wished as Lang] ? (wished as Lang) : "en";
  document.documentElement.lang = lang.value;
  offline.value = true;
  fixed.value = [meta.command ? `# ${meta.command}` : "", meta.python ?? ""].filter(Boolean).join("\n") || null;
  followTheme();

  const list = await data<Recorded>("events");
  if (list) adopt(list, meta.frame ?? 0);
  render(<App />, document.getElementById("app")!);
}

void begin();
