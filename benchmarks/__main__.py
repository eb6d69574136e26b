"""python -m benchmarks [FAMILY ...] [--only=TEXT]: run the cases of all families, or of those named, or those whose name holds a
text; writes benchmarks/results.json."""

import sys
from importlib import import_module

from benchmarks.harness import run_case, write

FAMILIES = (
    "adaboost",
    "linear_model",
    "penalised",
    "logistic",
    "naive_bayes",
    "discriminant_analysis",
    "cluster",
    "text",
    "files",
    "distributions",
    "hidden_markov",
    "mixture",
    "decomposition",
    "bayesian",
    "online",
    "tree",
    "ensemble",
    "neighbors",
    "forest",
    "graphical",
    "sequence_systems",
    "network_learning",
    "sampling",
    "comparison",
    "evaluation",
    "kernels",
    "svm",
    "kernel_machines",
    "gaussian_process",
    "bandits",
    "agents",
    "perceptrons",
    "small_tables",
    "searches",
    "floors",
    "nested",
)


def main(families, text):
    import novum

    novum.show_versions()
    for family in families or FAMILIES:
        for case in import_module(f"benchmarks.{family}").CASES:
            if text in case.name:
                write(run_case(case))  # case by case: a run that is stopped keeps what it has measured


if __name__ == "__main__":
    named = [argument for argument in sys.argv[1:] if not argument.startswith("--only=")]
    main(named, next((a.removeprefix("--only=") for a in sys.argv[1:] if a.startswith("--only=")), ""))
