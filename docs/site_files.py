"""What search engines and previews of links read: a sitemap of all pages, and a card with the picture of the front page.

Both need to know where the site stands: `NOVUM_DOCS_URL`, which the workflow sets; without it neither is written.
"""

import re
from collections.abc import Iterable
from html import escape, unescape
from pathlib import Path
from typing import Any

__all__ = ["card_tags", "setup", "sitemap"]

CARD = "_static/plots.png"
ABOUT = "Machine learning as it is taught, fast enough to use: one fit for arrays, files, clusters and GPUs."
LEFT_OUT = ("genindex", "search")  # pages that hold nothing of their own


def sitemap(base: str, pages: Iterable[str]) -> str:
    """Return the sitemap of pages, given by their addresses below `base`."""
    places = "\n".join(f"  <url><loc>{escape(base + page)}</loc></url>" for page in sorted(pages))
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return f'<?xml version="1.0" encoding="utf-8"?>\n<urlset xmlns="{space}">\n{places}\n</urlset>\n'


def card_tags(base: str, page: str, title: str) -> str:
    """Return the tags of a page, titled in HTML, from which the preview of a link to it is made."""
    named = {
        "title": unescape(re.sub(r"<[^>]+>", "", title)),
        "type": "website",
        "url": base + page,
        "image": base + CARD,
        "description": ABOUT,
    }
    tags = [f'<meta property="og:{name}" content="{escape(text)}" />' for name, text in named.items()]
    return "\n".join([*tags, '<meta name="twitter:card" content="summary_large_image" />'])


def add_card(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Put the tags into a page."""
    if app.config.html_baseurl:
        tags = card_tags(app.config.html_baseurl, app.builder.get_target_uri(page), str(context.get("title", "novum")))
        context["metatags"] = context.get("metatags", "") + tags


def write_sitemap(app: Any, error: Exception | None) -> None:
    """Write the sitemap beside the front page."""
    if error is None and app.config.html_baseurl and app.builder.format == "html":
        pages = [app.builder.get_target_uri(page) for page in app.env.found_docs if page not in LEFT_OUT]
        Path(app.outdir, "sitemap.xml").write_text(sitemap(app.config.html_baseurl, pages), encoding="utf-8")


def setup(app: Any) -> dict[str, Any]:
    """Tell Sphinx when to do it."""
    app.connect("html-page-context", add_card)
    app.connect("build-finished", write_sitemap)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
