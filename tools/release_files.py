"""Write a model file of every estimator, with what it predicts, to tests/files/<version>: later releases must load them.

Run once when a release is made; the files of past releases are never written again.
"""

import json
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))


def main() -> None:
    """Fit, save and predict."""
    from contract.cases import data, estimators, outputs, quick

    import novum

    folder = ROOT / "tests" / "files" / novum.__version__
    folder.mkdir(parents=True, exist_ok=True)
    expected = {}
    for estimator in estimators():
        X, y = data(estimator)
        model = quick(estimator).fit(X, y)
        name = type(estimator).__name__
        novum.save(model, folder / f"{name}.novum")
        expected[name] = {method: np.asarray(result)[:5].tolist() for method, result in outputs(model, X).items()}
    (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    main()
