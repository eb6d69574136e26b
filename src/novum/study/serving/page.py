"""The page of the server: what it takes, an example that can be sent, the answer; one file, no network but this server."""

import base64
import hashlib
import json
from html import escape
from typing import Any

from novum.study.data.schema import Schema

__all__ = ["docs_page"]

STYLE = """
:root { color-scheme: light dark; --paper: #ffffff; --panel: #f5f6f8; --ink: #1d2430; --quiet: #525c6b; --line: #d8dce2;
  --accent: #0b5cad; }
@media (prefers-color-scheme: dark) { :root { --paper: #14181e; --panel: #1c222a; --ink: #e7eaee; --quiet: #a9b3c0; --line: #343c47;
  --accent: #83bdf7; } }
body { margin: 0 auto; max-width: 56rem; padding: 1.5rem 1.2rem 3rem; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.2; overflow-wrap: anywhere; } h2 { font-size: 1.25rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; } caption { text-align: left; color: var(--quiet); }
th, td { text-align: left; vertical-align: top; padding: .4rem .7rem; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
textarea, pre { box-sizing: border-box; width: 100%; font: .88rem/1.45 ui-monospace, Menlo, Consolas, monospace; color: var(--ink);
  background: var(--panel); border: 1px solid var(--line); border-radius: .5rem; padding: .7rem; }
pre { overflow-x: auto; min-height: 3rem; white-space: pre-wrap; } textarea { min-height: 13rem; }
button { font: inherit; padding: .4rem 1rem; margin: .5rem .5rem .5rem 0; border-radius: .4rem; border: 1px solid var(--accent);
  background: var(--paper); color: var(--accent); cursor: pointer; } code { background: var(--panel); padding: .1rem .3rem; }
a { color: var(--accent); } :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
"""
SCRIPT = """
"use strict";
const answer = document.getElementById("answer"), body = document.getElementById("body");
for (const button of document.querySelectorAll("button")) {
  button.addEventListener("click", async () => {
    answer.textContent = "...";
    try {
      const headers = { "Content-Type": "application/json" };
      const sent = await fetch(button.dataset.to, { method: "POST", headers, body: body.value });
      answer.textContent = sent.status + "\\n" + JSON.stringify(await sent.json(), null, 1);
    } catch (error) { answer.textContent = String(error); }
  });
}
"""


def source_of(text: str) -> str:
    """Return what a browser knows an inline part by."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def docs_page(schema: Schema, usual: dict[str, Any], name: str) -> tuple[str, str]:
    """Return the page, and the policy that keeps browsers from loading or running anything else."""
    rows = "".join(
        f'<tr><th scope="row">{escape(column)}</th><td>{role}</td><td>{escape(values_text(levels))}</td></tr>'
        for column, role, levels in zip(schema.names, schema.roles, schema.levels)
    )
    example = json.dumps({"rows": [usual]}, indent=1, ensure_ascii=False)
    target = escape(schema.target)
    page = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Predictions of {target}</title><style>{STYLE}</style></head>
<body><main>
<h1>Predictions of {target}</h1>
<p>A model that <code>novum study</code> kept ({escape(name)}). Send rows as JSON with POST to <code>/predict</code> or
<code>/explain</code>; <a href="/openapi.json">/openapi.json</a> describes both, <a href="/schema">/schema</a> has the columns,
<a href="/health">/health</a> says that it runs, <a href="/ready">/ready</a> whether to send requests,
<a href="/metrics">/metrics</a> counts them. CSV (<code>text/csv</code>) and an object of JSON a line
(<code>application/x-ndjson</code>) are taken too, with options in the address.</p>
<h2>Try it</h2>
<label for="body">Rows to send; null stands for what is not known</label>
<textarea id="body" spellcheck="false">{escape(example)}</textarea>
<p><button type="button" data-to="/predict">Predict</button><button type="button" data-to="/explain">Explain</button></p>
<h3 id="answer-title">Answer</h3>
<pre id="answer" role="region" tabindex="0" aria-live="polite" aria-labelledby="answer-title"></pre>
<p>Beside the rows, <code>/predict</code> takes <code>"proba": true</code>, <code>"interval": true</code> with
<code>"level": 0.9</code> for an interval of a number or a set of classes, and <code>"unseen": true</code> to allow new categories;
<code>/explain</code> takes <code>"class"</code>, <code>"level"</code> and <code>"unseen"</code>.</p>
<h2>Columns</h2>
<table><caption>Every row has all of them</caption>
<thead><tr><th scope="col">column</th><th scope="col">kind</th><th scope="col">values</th></tr></thead><tbody>{rows}</tbody></table>
</main><script>{SCRIPT}</script></body></html>
"""
    policy = (
        f"default-src 'none'; style-src {source_of(STYLE)}; script-src {source_of(SCRIPT)}; connect-src 'self';"
        " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return page, policy


def values_text(levels: list[str]) -> str:
    """Return the categories of a column for its cell."""
    return ", ".join(levels[:20]) + (", …" if len(levels) > 20 else "")
