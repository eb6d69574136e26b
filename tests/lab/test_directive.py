"""The directive of the documentation that shows a scene: a file for each set of options, a frame without rights, a caption."""

import re
from pathlib import Path

import pytest

from novum.lab.registry import scenes
from novum.lab.server.assets import built_files
from novum.lab.server.export import scene_page

ROOT = Path(__file__).parents[2]
DIRECTIVE = re.compile(r"^```\{novum-lab\} (\S+)\n((?::.*\n)*)```", re.MULTILINE)
EMBEDDED = {
    page: DIRECTIVE.findall(page.read_text(encoding="utf-8")) for page in sorted((ROOT / "docs").glob("*/*.md"))
}


def test_twenty_scenes_are_in_the_pages():
    named = [name for found in EMBEDDED.values() for name, _ in found]
    assert len(named) == len(set(named)) >= 20 and set(named) <= set(scenes())


@pytest.mark.filterwarnings("ignore")  # a scene that stops a fit early means to
def test_the_files_of_the_documentation_stay_below_six_megabytes():
    if "offline.html" not in built_files():
        pytest.skip("the page of the lab is not built (make web)")
    shown = [(name, re.findall(r":f: (\d+)", options)) for found in EMBEDDED.values() for name, options in found]
    pages = [scene_page(scenes()[name], {}, int(f[0]) if f else None, "en", "novum lab") for name, f in shown]
    assert sum(len(page.encode()) for page in pages) < 6_000_000 and max(len(page.encode()) for page in pages) < 300_000


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Return the folder of a small documentation with the directive in it."""
    pytest.importorskip("sphinx", reason="Sphinx is not installed (pip install '.[docs]'): the directive was not built")
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace

    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("out")
    (source / "conf.py").write_text("extensions = ['lab_scenes']\nhtml_theme = 'basic'\n")
    (source / "state.json").write_text('{"scene": "kmeans", "state": {"k": 3}}')
    (source / "index.rst").write_text("Page\n====\n\n.. toctree::\n\n   deep/page\n\n.. novum-lab:: kmeans\n   :f: 3\n")
    (source / "deep").mkdir()
    (source / "deep" / "page.rst").write_text(
        "Page\n====\n\n.. novum-lab:: kmeans\n   :f: 3\n\n"
        ".. novum-lab:: kmeans\n   :state: ../state.json\n   :lang: it\n\n.. novum-lab:: nowhere\n"
    )
    warnings = (source / "warnings").open("w+")
    with docutils_namespace():
        Sphinx(source, source, out, out / ".doctrees", "html", status=None, warning=warnings).build()
    warnings.seek(0)
    return out, warnings.read()


def test_a_scene_becomes_a_file_in_a_frame(built):
    out, _ = built
    first, deep = ((out / name).read_text(encoding="utf-8") for name in ("index.html", "deep/page.html"))
    (frame,) = re.findall(r"<iframe [^>]*>", first)
    assert 'sandbox="allow-scripts"' in frame and 'loading="lazy"' in frame and 'title="k-means' in frame
    assert "novum lab --scene kmeans<" in re.sub(r"</?span[^>]*>", "", first)
    frames = re.findall(r'src="(\.\./_static/lab/[^"]*)"', deep)
    assert len(frames) == 2 and all((out / "deep" / name).resolve().exists() for name in frames)
    assert len(list((out / "_static" / "lab").iterdir())) == 2  # the same options are one file


def test_a_state_and_a_language(built):
    deep = (built[0] / "deep" / "page.html").read_text(encoding="utf-8")
    assert "novum lab --scene kmeans --state state.json" in re.sub(r"</?span[^>]*>", "", deep) and "Dal vivo" in deep


def test_the_file_shows_the_step_that_was_asked_for(built):
    (page,) = (
        built[0] / name for name in re.findall(r'src="(_static/lab/[^"]*)"', (built[0] / "index.html").read_text())
    )
    text = page.read_text(encoding="utf-8")
    assert '"frame":5,"part":"M"' in text  # of the frames 0 E, 1 M, 1 E, 2 M, 2 E, 3 M
    assert "max_iter=2" in text and len(text.encode()) < 260_000


def test_a_scene_that_is_none_is_named(built):
    assert "novum-lab: nowhere: scenes are" in built[1]
