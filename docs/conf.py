"""Sphinx: guide and theory in MyST, gallery of scripts, reference and benchmark table written from the package itself."""

import os
import re
import sys
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import generate  # noqa: E402  (docs/generate.py)
from sphinx_gallery.sorting import ExplicitOrder  # noqa: E402

import novum  # noqa: E402

generate.write_benchmarks(HERE / "_generated" / "benchmarks.md")
generate.write_reference(HERE / "api" / "generated")

project = "novum"
version = release = novum.__version__
copyright = "the novum authors, BSD-3-Clause"
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.mathjax",
    "sphinx_gallery.gen_gallery",
    "lab_scenes",  # docs/lab_scenes.py
    "site_files",  # docs/site_files.py
]
exclude_patterns = ["_build", "_generated", "heads", "skeleton", "gallery/*.ipynb", "gallery/*.py", "tutorials/*.ipynb"]
html_theme = "furo"
html_title = f"novum {release}"
html_static_path = ["_static"]
html_css_files = ["front.css"]
html_show_copyright = False
html_baseurl = os.environ.get("NOVUM_DOCS_URL", "")  # ends with a slash

myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
autosummary_generate = False  # docs/generate.py writes the pages
autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False
default_role = "py:obj"

EXAMPLES = HERE.parent / "examples"
FAMILIES = [
    "linear_models",
    "classifiers",
    "trees",
    "kernels",
    "clustering",
    "decomposition",
    "graphical",
    "sequences",
    "probability",
    "networks",
    "reinforcement",
    "evaluation",
]  # in the order of the gallery
NEED_TORCH = [
    path.name for path in sorted(EXAMPLES.glob("*/plot_*.py")) if "import torch" in path.read_text(encoding="utf-8")
]
LEFT_OUT = [] if find_spec("torch") else NEED_TORCH  # pictures of networks are drawn where PyTorch is installed

sphinx_gallery_conf = {
    "examples_dirs": str(EXAMPLES),
    "gallery_dirs": "gallery",
    "subsection_order": ExplicitOrder([f"../examples/{family}" for family in FAMILIES]),
    "thumbnail_size": (480, 340),
    "filename_pattern": r"\.py$",
    "ignore_pattern": "|".join(["__init__", *map(re.escape, LEFT_OUT)]),
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 5,
    "copyfile_regex": "",
    "reset_modules": ("matplotlib",),
}

FITTED = re.compile(
    r"(?<![\w`.\"'])([A-Za-z]\w*_)(?![\w`\"'{(])"
)  # coef_ in a sentence: to reStructuredText a link named coef
CODE = re.compile(r"(`+[^`]*`+)")
FORMULA = re.compile(r"(?<!\\)([|*])")  # |w| and a * b in a sentence: a substitution and an emphasis


def outside_code(lines, change):
    """Change the parts of the lines that are neither an example nor between backticks."""
    for k, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...", ":", "..")):
            parts = CODE.split(line)
            lines[k] = "".join(part if number % 2 else change(part) for number, part in enumerate(parts))


def plain_formulas(app, what, name, obj, options, lines):
    """Keep the bars and stars of formulas in docstrings what they are."""
    outside_code(lines, lambda part: FORMULA.sub(r"\\\1", part))


def literal_attributes(app, what, name, obj, options, lines):
    """Mark names with a final underscore as code."""
    outside_code(lines, lambda part: FITTED.sub(r"``\1``", part))


def setup(app):
    app.connect(
        "autodoc-process-docstring", plain_formulas, priority=400
    )  # before napoleon, which writes markup of its own
    app.connect("autodoc-process-docstring", literal_attributes, priority=800)  # after it: it needs the bare names


# Letters in the shapes of docstrings, such as (n, k), are no references to the attributes of those names.
suppress_warnings = ["ref.python"]
