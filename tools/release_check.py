"""make release-check: is this tree fit to be released? Prints a table and exits with 1 if anything is not.

One version everywhere and dated; a source distribution that builds; the wheel built from it, with all it should hold and
nothing else; `twine check`; import, fit, save and load in an environment that has the wheel and its dependencies alone.
Needs the build tools of `make dev` and twine; packages come from the index that pip is set up with, nothing else is reached.

    python tools/release_check.py                  all of it (a build takes minutes)
    python tools/release_check.py --notes v0.2.0   the changelog's section of a version, for the announcement
"""

import ast
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
from collections.abc import Callable
from email.parser import Parser
from pathlib import Path, PurePosixPath
from typing import NamedTuple
from zipfile import ZipFile

ROOT = Path(__file__).parents[1]
TAG = "NOVUM_RELEASE_TAG"
LONGEST_CHANGELOG = 120  # lines: a user reads one page
NEEDED_IN_SOURCE = (
    "CMakeLists.txt",
    "LICENSE",
    "README.md",
    "pyproject.toml",
    "src/novum/__init__.py",
    "cpp",
    "bindings",
)
NOT_IN_SOURCE = (".ci", ".venv", "build", "dist", "docs/_build")
MADE_BY_THE_BUILD = {"novum/notes/prepared_names.json"}
FIT = """
import pathlib, sys
import numpy as np
import novum
from novum import _core
from novum.ensemble import RandomForestClassifier
from novum.linear_model import LinearRegression
assert novum.__version__ == sys.argv[1], novum.__version__
assert pathlib.Path(novum.__file__).is_relative_to(sys.prefix), novum.__file__
levels = _core.runtime.build.levels()
assert levels == ["default"] or len(levels) > 1, f"a wheel of one instruction level, {levels}: NOVUM_LEVELS must not be own"
X = np.random.default_rng(0).normal(size=(200, 3))
y = X @ [1.0, 2.0, 3.0]
model = LinearRegression().fit(X, y)
assert np.allclose(novum.load(novum.save(model, "model.novum")).predict(X), y)
assert "std err" in str(model.inference())
assert RandomForestClassifier(n_estimators=5, random_state=0).fit(X, y > 0).score(X, y > 0) > 0.9
"""


class Failed(Exception):
    """A check that did not pass; its text says why."""


class Outcome(NamedTuple):
    """What became of one check."""

    name: str
    passed: bool
    seconds: float
    text: str


def run(*command: object, cwd: Path = ROOT) -> str:
    """Return what a command prints, or fail with the end of it."""
    done = subprocess.run([*map(str, command)], cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = (done.stdout + done.stderr).strip().splitlines()[-12:]
        raise Failed(
            f"{Path(str(command[0])).name} {command[1] if len(command) > 1 else ''}:\n    " + "\n    ".join(lines)
        )
    return done.stdout


# ---------------------------------------------------------------------------------------------------- texts


def package_version(root: Path = ROOT) -> str:
    """Return the version that src/novum/__init__.py states."""
    tree = ast.parse((root / "src/novum/__init__.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__version__":
            return ast.literal_eval(node.value)
    raise Failed("src/novum/__init__.py has no __version__")


def stated_versions(root: Path = ROOT) -> dict[str, str]:
    """Return the version that every place states, by place."""
    patterns = {
        "CITATION.cff": r"^version: (\S+)$",
        "CHANGELOG.md": r"^## (\d\S*)",
        "docs/versions.md": r"^This is version (\S+),",
    }
    found = {"src/novum/__init__.py": package_version(root)}
    for place, pattern in patterns.items():
        match = re.search(pattern, (root / place).read_text(encoding="utf-8"), re.MULTILINE)
        found[place] = match[1] if match else "none"
    if os.environ.get(TAG):
        found["the tag"] = os.environ[TAG].removeprefix("v")
    project = (root / "pyproject.toml").read_text(encoding="utf-8")
    if 'dynamic = ["version"]' not in project:
        found["pyproject.toml"] = "one of its own"
    return found


def check_versions(root: Path = ROOT) -> str:
    """Check that every place states the same version."""
    found = stated_versions(root)
    if len(set(found.values())) > 1:
        raise Failed(", ".join(f"{place} says {version}" for place, version in found.items()))
    return f"{package_version(root)} in {len(found)} places, and pyproject.toml reads it from the package"


def changelog_section(version: str, root: Path = ROOT) -> tuple[str, str]:
    """Return the date and the text that the changelog has for a version."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    match = re.search(rf"^## {re.escape(version)} \(([^)]*)\)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if not match:
        raise Failed(f"CHANGELOG.md has no heading '## {version} (date)'")
    return match[1], match[2].strip()


def check_changelog(root: Path = ROOT) -> str:
    """Check that the changelog has this version, with the date of CITATION.cff, on one page."""
    date, text = changelog_section(package_version(root), root)
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", date):
        raise Failed(f"CHANGELOG.md: {date!r} is no date")
    if f"date-released: {date}\n" not in (root / "CITATION.cff").read_text(encoding="utf-8"):
        raise Failed(f"CITATION.cff does not say date-released: {date}")
    length = len((root / "CHANGELOG.md").read_text(encoding="utf-8").splitlines())
    if not text or length > LONGEST_CHANGELOG:
        raise Failed(
            f"CHANGELOG.md has {length} lines (at most {LONGEST_CHANGELOG}), {len(text)} characters on this version"
        )
    return f"dated {date}; {length} lines"


# ---------------------------------------------------------------------------------------------------- packages


def build_source(out: Path) -> Path:
    """Return the source distribution of this tree."""
    run(sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", out)
    return next(out.glob("*.tar.gz"))


def check_source(path: Path) -> str:
    """Check what a source distribution holds."""
    with tarfile.open(path) as archive:
        names = {str(PurePosixPath(*PurePosixPath(name).parts[1:])) for name in archive.getnames()}
    missing = [
        part for part in NEEDED_IN_SOURCE if not any(name == part or name.startswith(f"{part}/") for name in names)
    ]
    foreign = [
        name
        for name in names
        if any(name == part or name.startswith(f"{part}/") for part in NOT_IN_SOURCE)
        or name.endswith((".so", ".pyd", ".pyc"))
    ]
    if missing or foreign:
        raise Failed(f"{path.name}: without {missing}, and with {sorted(foreign)[:5]}")
    return f"{path.name}: {len(names)} files, {path.stat().st_size / 2**20:.1f} MiB"


def build_wheel(source: Path, out: Path) -> Path:
    """Return the wheel that a source distribution builds, outside of this tree."""
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(source) as archive:
            archive.extractall(folder, filter="data")
        unpacked = next(Path(folder).iterdir())
        run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, cwd=unpacked)
    return next(out.glob("*.whl"))


def shipped_files(root: Path = ROOT) -> set[str]:
    """Return what a wheel must hold of the package: every file of it that git knows."""
    listed = run("git", "ls-files", "src/novum", cwd=root).splitlines()
    return {name.removeprefix("src/") for name in listed if (root / name).is_file()} | MADE_BY_THE_BUILD


def check_wheel(path: Path, expected: set[str], version: str) -> str:
    """Check what a wheel holds: the package whole, one compiled module, nothing beside it."""
    with ZipFile(path) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
        about = next((name for name in names if name.endswith(".dist-info/METADATA")), None)
        metadata = Parser().parsestr(archive.read(about).decode() if about else "")
    inside = {name for name in names if name.startswith("novum/")}
    compiled = [name for name in inside if name.endswith((".so", ".pyd", ".dylib"))]
    beside = [name for name in names if name.partition("/")[0] not in ("novum", f"novum-{version}.dist-info")]
    problems = [
        (
            f"{len(compiled)} compiled modules: {compiled}",
            [name.rpartition("/")[2][:6] for name in compiled] != ["_core."],
        ),
        (f"lacks {sorted(expected - inside)[:5]}", not expected <= inside),
        (
            f"has {sorted(inside - expected - set(compiled))[:5]}, which git does not know",
            bool(inside - expected - {*compiled}),
        ),
        (f"has {beside[:5]} beside the package", bool(beside)),
        (
            f"has tests: {[name for name in names if '/tests/' in name or '/test_' in name][:3]}",
            any("/test_" in n for n in names),
        ),
        ("lacks py.typed", "novum/py.typed" not in inside),
        ("lacks stubs (.pyi)", not any(name.endswith(".pyi") for name in inside)),
        ("lacks its license", not any("licenses/LICENSE" in name for name in names)),
        ("lacks its command", not any(name.endswith("entry_points.txt") for name in names)),
        (
            f"calls itself {metadata['Name']} {metadata['Version']}",
            (metadata["Name"], metadata["Version"]) != ("novum", version),
        ),
        ("has no summary or Python version", not (metadata["Summary"] and metadata["Requires-Python"])),
    ]
    if wrong := [text for text, failed in problems if failed]:
        raise Failed(f"{path.name}: " + "; ".join(wrong))
    stubs = sum(name.endswith(".pyi") for name in inside)
    return f"{path.name}: {len(inside)} files, {stubs} stubs, {path.stat().st_size / 2**20:.1f} MiB"


def check_by_twine(paths: list[Path]) -> str:
    """Let twine read the metadata as the index will."""
    run(sys.executable, "-m", "twine", "check", "--strict", *paths)
    return f"{len(paths)} packages"


def check_in_an_empty_environment(wheel: Path, version: str) -> str:
    """Install a wheel and its dependencies alone; import, fit, save, load; then the command with the extra 'study'."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        venv.create(place / "environment", with_pip=True)
        python = place / "environment" / "bin" / "python"
        install = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        run(*install, wheel, cwd=place)
        run(python, "-W", "error::DeprecationWarning:novum", "-c", FIT, version, cwd=place)
        run(*install, f"{wheel}[study]", cwd=place)
        told = run(place / "environment" / "bin" / "novum", "--version", cwd=place).strip()
        if told != f"novum {version}":
            raise Failed(f"novum --version says {told!r}")
    return "import, fit, save, load; novum --version"


# ---------------------------------------------------------------------------------------------------- the table


def outcomes(out: Path) -> list[Outcome]:
    """Run every check; one that needs what an earlier one could not make is not passed."""
    found: list[Outcome] = []
    made: dict[str, Path] = {}

    def attempt(name: str, check: Callable[[], str]) -> None:
        began = time.monotonic()
        try:
            text, passed = check(), True
        except Failed as error:
            text, passed = str(error), False
        except (KeyError, OSError, StopIteration) as error:
            text, passed = f"not possible: {type(error).__name__}: {error}", False
        found.append(Outcome(name, passed, time.monotonic() - began, text))
        print(line(found[-1]), flush=True)

    def source() -> str:
        made["source"] = build_source(out)
        return check_source(made["source"])

    def wheel() -> str:
        made["wheel"] = build_wheel(made["source"], out)
        return check_wheel(made["wheel"], shipped_files(), package_version())

    attempt("one version", check_versions)
    attempt("changelog", check_changelog)
    attempt("source distribution", source)
    attempt("wheel from it", wheel)
    attempt("twine check", lambda: check_by_twine([made["source"], made["wheel"]]))
    attempt("empty environment", lambda: check_in_an_empty_environment(made["wheel"], package_version()))
    return found


def line(outcome: Outcome) -> str:
    """Return a row of the table."""
    return f"{'passed' if outcome.passed else 'FAILED':<8}{outcome.name:<22}{outcome.seconds:>6.0f} s  {outcome.text}"


def main(arguments: list[str]) -> int:
    """Run the command line."""
    if arguments[:1] == ["--notes"] and len(arguments) == 2:
        print(changelog_section(arguments[1].removeprefix("v"))[1])
        return 0
    if arguments:
        print(__doc__)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        found = outcomes(Path(folder))
    failed = sum(not outcome.passed for outcome in found)
    print(
        f"{len(found) - failed} of {len(found)} checks passed; " + ("fit to be released" if not failed else "not fit")
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
