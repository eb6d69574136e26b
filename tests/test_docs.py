"""The documentation runs: every Python block of the README, the guide and the theory, and the pages written by the package."""

import doctest
import json
import re
import runpy
import statistics
from pathlib import Path
from xml.etree import ElementTree

import generate
import pytest
import site_files

import novum

ROOT = Path(__file__).parents[1]
TOOLS = {
    "datasets",
    "exceptions",
    "feature_extraction",
    "linalg",
    "notes",
    "patch",
    "preprocessing",
    "teaching",
}  # pages without a head
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    ROOT / "docs" / "index.md",
    ROOT / "docs" / "install.md",
    ROOT / "docs" / "versions.md",
    *sorted(ROOT.glob("docs/guide/*.md")),
    *sorted(ROOT.glob("docs/heads/*.md")),
    *sorted(ROOT.glob("docs/theory/*.md")),
    *sorted(ROOT.glob("docs/switching/*.md")),
]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(page):
    """Return the Python blocks of a page with the line each begins at."""
    text = page.read_text(encoding="utf-8")
    return [(text.count("\n", 0, found.start(1)), found[1]) for found in BLOCK.finditer(text)]


def marks(page):
    return [pytest.mark.deep] if any("import torch" in code for _, code in blocks(page)) else []


def run(page, names):
    """Run the blocks of a page one after another in one namespace; a block with prompts is compared with what it prints."""
    for line, code in blocks(page):
        if ">>> " not in code:
            exec(compile("\n" * line + code, str(page), "exec"), names)
            continue
        test = doctest.DocTestParser().get_doctest(code, names, page.name, str(page), line)
        told = []
        runner = doctest.DocTestRunner(optionflags=FLAGS)
        runner.run(test, out=told.append, clear_globs=False)
        assert not runner.failures, "".join(told)
        names.update(test.globs)


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=marks(page), id=str(page.relative_to(ROOT))) for page in PAGES if blocks(page)]
)
def test_every_block_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # what a page writes, it writes there
    run(page, {"__name__": "page"})


SCRIPTS = sorted(ROOT.glob("examples/*/*.py"))


def script_marks(script):
    return [pytest.mark.deep] if "import torch" in script.read_text(encoding="utf-8") else []


@pytest.mark.parametrize("script", [pytest.param(path, marks=script_marks(path), id=path.stem) for path in SCRIPTS])
def test_every_script_of_the_gallery_runs(script):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot

    runpy.run_path(str(script))
    assert pyplot.get_fignums()  # a script of the gallery makes a figure
    pyplot.close("all")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_files_lead_somewhere(page):
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        place = (page.parent / target).resolve()
        written_by_the_build = any(place.is_relative_to(ROOT / "docs" / folder) for folder in ("gallery", "api"))
        assert written_by_the_build or place.exists() or place.with_suffix(".md").exists(), target


def test_the_readme_is_read_in_some_minutes():
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 180
    assert max(len(line) for line in lines if not line.startswith("|")) <= 132


def test_the_readme_counts_the_benchmarks_as_they_are():
    rows = json.loads(generate.RESULTS.read_text())["rows"]
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    lost = sum(row["ratio"] < generate.EVEN for row in rows)
    assert f"{len(rows)} comparisons with the libraries" in text
    assert (
        f"the median is {statistics.median(row['ratio'] for row in rows):.1f} times as fast, and in {lost} novum is slower"
        in text
    )


def test_the_reference_names_everything_public(tmp_path):
    generate.write_reference(tmp_path)
    for module in generate.families():
        page = (tmp_path / f"{module.__name__}.md").read_text(encoding="utf-8")
        for name in module.__all__:
            assert f":: {module.__name__}.{name}\n" in page
    top = (tmp_path / "novum.md").read_text(encoding="utf-8")
    assert all(f"autofunction:: novum.{name}\n" in top for name in generate.top_level())
    assert {"load", "save", "show_versions"} <= set(generate.top_level()) <= set(novum.__all__)


PICTURE = re.compile(r"\[!\[[^\]]+\]\(\.\./(?:pictures|_static)/\w+\.(?:png|gif)\)\]\(\.\./[\w/]+\)")


@pytest.mark.parametrize("page", sorted(ROOT.glob("docs/heads/*.md")), ids=lambda page: page.stem)
def test_a_head_is_a_picture_and_some_lines_of_code_with_what_they_print(page):
    first, _, rest = page.read_text(encoding="utf-8").partition("\n\n")
    assert PICTURE.fullmatch(first)
    ((_, code),) = blocks(page)
    assert rest == f"```python\n{code}```\n"
    examples = doctest.DocTestParser().get_examples(code)
    assert any(example.want for example in examples)
    assert sum(len(example.source.splitlines()) for example in examples) <= 6


def test_the_page_of_every_family_begins_with_its_head(tmp_path):
    generate.write_reference(tmp_path)
    families = {module.__name__ for module in generate.families()} - {f"novum.{name}" for name in TOOLS}
    assert {path.stem for path in generate.HEADS.glob("*.md")} == families
    for name in families:
        text = (tmp_path / f"{name}.md").read_text(encoding="utf-8")
        assert text.startswith(f"# {name}\n\n[![")
        assert (generate.HEADS / f"{name}.md").read_text(encoding="utf-8").partition("\n\n")[2] in text
        for target in re.findall(r"\]\((\.\./\.\./(?:pictures|_static)/[^)]+)\)", text):
            assert (ROOT / "docs" / "api" / "generated" / target).resolve().exists()


def test_the_benchmark_page_hides_no_loss():
    results = json.loads(generate.RESULTS.read_text())
    text = generate.benchmark_tables(results)
    lost = [row for row in results["rows"] if row["ratio"] < generate.EVEN]
    assert f"in {len(lost)} of them novum is slower" in text
    first, _, rest = text.partition(f"### Where novum is less than {generate.AHEAD} times as fast")
    assert all(
        f"| {row['case'].removeprefix(generate.SMALL)} | {row['rows']:,} | {row['peer']} |" in first for row in lost
    )
    large = [row for row in results["rows"] if not row["case"].startswith(generate.SMALL)]
    assert rest.count("**slower**") == sum(row["ratio"] < generate.EVEN for row in large)
    for row in results["rows"]:
        small = row["case"].startswith(generate.SMALL)
        assert (f"| {row['case'].removeprefix(generate.SMALL)} |" if small else f"### {row['case']}\n") in rest
    assert all(f"{case}\n" in rest for case in results["exponents"])


def test_an_equation_of_a_theory_page_has_the_number_of_the_source():
    """Every number that a docstring gives to a formula of these modules is a tag on its page."""
    pages = {
        "gaussian_naive_bayes.md": ["naive_bayes/gaussian"],
        "least_squares.md": [
            "linear_model/ols",
            "linear_model/ridge",
            *(
                f"linear_model/least_squares/{name}"
                for name in ("inference", "solve", "residuals", "orthogonal", "hypothesis", "intervals")
            ),
            "engines/moments/second",
            "engines/moments/triangles",
        ],
        "pca.md": [
            f"decomposition/{name}"
            for name in ("pca", "spectrum", "krylov", "dimension", "probabilistic", "latent", "factor_analysis")
        ]
        + ["decomposition/rotation", "decomposition/incremental"],
        "naive_bayes.md": [f"naive_bayes/{name}" for name in ("counts", "multinomial", "categorical")],
        "discriminant_analysis.md": [
            f"discriminant_analysis/{name}"
            for name in ("linear", "quadratic", "parameters", "moments", "solve", "shrinkage", "missing")
        ],
        "fold.md": ["fold/engine"],
        "independent_components.md": [f"decomposition/{name}" for name in ("sources", "fast_ica", "ica")],
        "multidimensional_scaling.md": ["manifold/stress_majorization", "manifold/torgerson"],
        "isomap.md": ["manifold/isomap"],
        "self_organizing_maps.md": ["manifold/self_organizing"],
        "principal_curves.md": ["manifold/curve"],
        "kmeans.md": [
            "cluster/kmeans",
            "cluster/criterion",
            *(f"engines/kmeans/{name}" for name in ("lloyd", "bounds", "seeding", "variance")),
        ],
        "linear_algebra.md": [
            "linalg/definite",
            "linalg/gradients",
            "linalg/moments",
            *(f"teaching/linear_algebra/{name}" for name in ("bases", "eigen")),
        ],
        "information.md": [
            "information/measures",
            "information/pairs",
            "information/neighbors",
            "teaching/statistics/information",
        ],
        "probability_tables.md": [
            "distributions/tables/joint",
            "distributions/tables/conditional",
            "distributions/tables/independence",
        ],
        "gaussian_algebra.md": ["distributions/gaussian/algebra", "distributions/gaussian/information"],
        "conjugacy.md": [
            "distributions/conjugate/prior",
            "distributions/conjugate/rules",
            "distributions/conjugate/predictive",
            "distributions/conjugate/sequence",
        ],
        "estimation.md": [
            "distributions/estimation/optimum",
            "distributions/estimation/problem",
            "distributions/estimation/grid",
            "teaching/statistics/sample_mean",
            "distributions/estimation/compare",
        ],
        "concentration.md": ["theory/concentration"],
        "learning_theory.md": ["theory/bounds"],
        "vc_dimension.md": ["theory/capacity"],
        "version_spaces.md": ["theory/conjunctions"],
        "graphs.md": [
            f"graphical/graphs/{name}" for name in ("separation", "equivalence", "enumeration", "imaps", "plates")
        ],
        "mixtures.md": [
            "mixture/gaussian",
            "mixture/variational",
            *(f"engines/gaussians/{name}" for name in ("density", "missing", "tensors")),
        ],
    }
    for page, modules in pages.items():
        text = (ROOT / "docs" / "theory" / page).read_text(encoding="utf-8")
        for module in modules:
            source = Path(novum.__file__).parent / f"{module}.py"
            numbers = set(re.findall(r" \((\d+)\)$", source.read_text(encoding="utf-8").split('"""')[1], re.MULTILINE))
            assert numbers and all(rf"\tag{{{number}}}" in text for number in numbers), (page, module)


def test_the_sitemap_and_the_cards_of_links():
    base = "https://example.org/novum/"
    tree = ElementTree.fromstring(site_files.sitemap(base, ["index.html", "guide/a&b.html"]).encode())
    assert [place.text for place in tree.findall(".//{*}loc")] == [f"{base}guide/a&b.html", f"{base}index.html"]
    tags = site_files.card_tags(base, "guide/lab.html", '<code>"a"</code> &amp; b')
    named = dict(re.findall(r'<meta property="og:(\w+)" content="([^"]*)" />', tags))
    assert named["title"] == "&quot;a&quot; &amp; b" and named["url"] == f"{base}guide/lab.html"
    assert (ROOT / "docs" / named["image"].removeprefix(base)).exists()
