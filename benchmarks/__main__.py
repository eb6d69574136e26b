"""python -m benchmarks [FAMILY ...]: run the cases of all families, or of those named; writes benchmarks/results.json."""

import sys
from importlib import import_module

from benchmarks.harness import run_case, write

FAMILIES = (
    "linear_model",
    "penalised",
    "naive_bayes",
    "cluster",
    "text",
    "files",
    "distributions",
    "mixture",
    "decomposition",
    "bayesian",
)


def main(families):
    import novum

    novum.show_versions()
    rows = []
    for family in families or FAMILIES:
        for case in import_module(f"benchmarks.{family}").CASES:
            rows += run_case(case)
    write(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
