"""Record what every class of novum holds after its fits into src/novum/persistence/attributes.json.

Runs the suite of the families, with the tests that need PyTorch where it is installed, and this file as a plugin of pytest:
after every test, the state of each estimator that it fitted is noted, kinds and lengths (`novum.persistence.attributes`). New
attributes or kinds are added to the table; a rule about a length is kept only while it holds. `--fresh` forgets the table
first. Run it when an estimator gains an attribute; the test of the contract says so.

    python tools/model_attributes.py [--fresh] [folders of tests]
"""

import json
import os
import sys
from collections import defaultdict
from functools import wraps
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parents[1]
FOLDERS = (
    *(
        "bandits",
        "base",
        "cluster",
        "contract",
        "decision_theory",
        "decomposition",
        "discriminant_analysis",
        "distributions",
        "ensemble",
        "feature_extraction",
        "gaussian_process",
        "kernels",
    ),
    *(
        "graphical",
        "linear_model",
        "manifold",
        "mixture",
        "naive_bayes",
        "neighbors",
        "neural_network",
        "preprocessing",
        "reinforcement",
        "sequence",
        "theory",
        "tree",
        "patch",
    ),
)
PART = "NOVUM_ATTRIBUTES"  # the folder for what each process of pytest saw
MOST_OBJECTS = 300  # looked at after one test
LEAST_LENGTHS = 3  # different lengths that a rule must have held at

fitted: list[Any] = []
# class, attribute, kind: for every axis, the letters that fitted so far, and the lengths seen
seen: dict[str, dict[str, dict[str, list]]] = defaultdict(lambda: defaultdict(dict))


def note(value: Any) -> None:
    """Add the state of every object of novum's in a value to `seen`."""
    from sklearn.base import BaseEstimator

    from novum.base.discovery import public_class
    from novum.persistence.attributes import any_axes, kind_of, lengths_of, own_objects, parameters_of
    from novum.persistence.files import CALLBACK_STATE

    for item in own_objects(value):
        cls = type(item)
        if isinstance(item, tuple | dict) or public_class(cls.__module__, cls.__name__) is not cls:
            continue
        state = item.__getstate__() if hasattr(item, "__dict__") else {}
        state = state if isinstance(state, dict) else {}
        lengths, found = lengths_of(state), seen[cls.__name__]
        for name, held in state.items():
            if name in CALLBACK_STATE or name in parameters_of(cls):
                continue
            kind = kind_of(held) if isinstance(item, BaseEstimator) else any_axes(kind_of(held))
            axes = found[name].setdefault(kind, [])
            for axis, length in enumerate(held.shape if kind.startswith("array") and kind[5] != ":" else ()):
                if axis == len(axes):
                    axes.append({"letters": ["k", "p"], "lengths": []})
                agreeing = [letter for letter in axes[axis]["letters"] if lengths.get(letter) == length]
                axes[axis]["letters"] = agreeing
                if agreeing and length not in axes[axis]["lengths"]:
                    axes[axis]["lengths"].append(length)


def pytest_configure(config):
    def watch(cls, methods=("fit", "partial_fit", "fit_transform", "fit_predict", "reset")):
        for name in methods:
            method = vars(cls).get(name)
            if method is None:
                continue

            def wrapper(self, *args, _method=method, **kwargs):
                result = _method(self, *args, **kwargs)
                fitted.append(self)
                return result

            setattr(cls, name, wraps(method)(wrapper))

    from novum.base.discovery import all_estimators

    watched = {base for _, cls in all_estimators() for base in cls.__mro__ if base.__module__.startswith("novum.")}
    for cls in watched:
        watch(cls)
    import novum.distributions as family  # their instances are parameters of estimators

    for name in family.__all__:
        if isinstance(cls := getattr(family, name), type) and "__init__" in vars(cls):
            watch(cls, ("__init__",))
    from novum.gaussian_process import kernels  # these too

    waiting = [kernels.Kernel]
    while waiting:
        cls = waiting.pop()
        waiting += cls.__subclasses__()
        if cls.__module__.startswith("novum.") and "__init__" in vars(cls):
            watch(cls, ("__init__",))


def pytest_runtest_teardown(item):
    looked_at = fitted[:MOST_OBJECTS]
    fitted.clear()
    for held in looked_at:
        note(held)


def pytest_sessionfinish(session):
    if folder := os.environ.get(PART):
        (Path(folder) / f"{os.getpid()}.json").write_text(json.dumps(seen))


def rule(kind: str, axes: list) -> str:
    """Return a kind with its axes."""
    letters = [
        axis["letters"][-1] if axis["letters"] and len(axis["lengths"]) >= LEAST_LENGTHS else "*" for axis in axes
    ]
    return f"{kind}[{','.join(letters)}]" if kind.startswith("array") and letters else kind


def merge(parts: list[dict]) -> dict[str, dict[str, dict[str, list]]]:
    """Return what several processes saw as one."""
    whole: dict[str, Any] = defaultdict(lambda: defaultdict(dict))
    for part in parts:
        for cls, attributes in part.items():
            for name, kinds in attributes.items():
                for kind, axes in kinds.items():
                    known = whole[cls][name].setdefault(kind, axes)
                    for before, now in zip(known, axes):
                        before["letters"] = [letter for letter in before["letters"] if letter in now["letters"]]
                        before["lengths"] = sorted({*before["lengths"], *now["lengths"]})
    return whole


def main() -> None:
    """Run the suite, write the table."""
    import subprocess

    from novum.persistence.attributes import TABLE

    some = [argument for argument in sys.argv[1:] if argument != "--fresh"]
    folders = some or [str(ROOT / "tests" / name) for name in FOLDERS]
    with TemporaryDirectory() as parts:
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "model_attributes",
            "-n",
            "2",
            "-m",
            "not slow and not peer" if find_spec("torch") else "not deep and not slow and not peer",
        ]
        paths = os.pathsep.join([str(ROOT / "tools"), os.environ.get("PYTHONPATH", "")])
        subprocess.run(
            [*command, *folders], cwd=ROOT, check=False, env={**os.environ, PART: parts, "PYTHONPATH": paths}
        )
        found = merge([json.loads(path.read_text()) for path in Path(parts).glob("*.json")])
    table = {
        cls: {name: sorted(rule(*kind) for kind in kinds.items()) for name, kinds in sorted(held.items())}
        for cls, held in sorted(found.items())
    }
    if "--fresh" not in sys.argv and TABLE.exists():
        for cls, held in json.loads(TABLE.read_text()).items():
            for name, kinds in held.items():
                now = table.setdefault(cls, {}).setdefault(name, [])
                words = {kind.partition("[")[0] for kind in (kinds if some else now)}
                kept, more = (kinds, now) if some else (now, kinds)  # a few tests have not seen enough to change a rule
                table[cls][name] = [*kept, *(kind for kind in more if kind.partition("[")[0] not in words)]
    TABLE.write_text(json.dumps(table, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
