"""The measures of a study as programs write them: what they import and how they are computed from truth and prediction.

`y` are the true classes or numbers of the rows put away, `predicted` the predictions, `proba` the probabilities of `classes`,
`weight` the weights of the rows. Where scikit-learn's function means the same it is called; the others are written out.
"""

from typing import Any, NamedTuple

__all__ = ["WrittenMeasure", "written_measure"]


class WrittenMeasure(NamedTuple):
    """A measure as a program has it."""

    imports: list[tuple[str, str]]
    code: str  # an expression
    proba: bool = False
    why: str = ""  # a comment


METRICS = "sklearn.metrics"
NUMPY = ("numpy", "np")


def called(name: str, more: str = "", what: str = "predicted") -> WrittenMeasure:
    """Return a measure that scikit-learn has."""
    arguments = f"y, {what}{', ' + more if more else ''}{{weight}}"
    return WrittenMeasure([(METRICS, name)], f"{name}({arguments})", what != "predicted")


def written_measure(scoring: Any, labels: int, positive: int | None, weighted: bool, costs: Any) -> WrittenMeasure:
    """Return a measure of a study as a program has it.

    Parameters
    ----------
    labels : int
        How many classes there are; 0 of a regression.
    positive : int or None
        Number of the class that some measures are about.
    costs : array or None
        By true and said class.
    """
    name, k = scoring.name, 1 if positive is None else positive
    share = "np.average({rows}, weights=weight)" if weighted else "np.mean({rows})"
    truth = "np.searchsorted(classes, y)"
    if name == "cost":
        rows = f"COSTS[{truth}, np.searchsorted(classes, predicted)]"
        made = WrittenMeasure([NUMPY], share.format(rows=rows))
    elif name == "log_loss":
        rows = f"-np.log(np.maximum(proba[np.arange(len(y)), {truth}] / proba.sum(axis=1), 1e-15))"
        why = "the logarithm is cut at 1e-15, so that one confident mistake does not outweigh all other rows"
        made = WrittenMeasure([NUMPY], share.format(rows=rows), True, why)
    elif name == "brier":
        half = " / 2" if labels == 2 else ""
        rows = f"((proba - np.eye(len(classes))[{truth}]) ** 2).sum(axis=1){half}"
        made = WrittenMeasure([NUMPY], share.format(rows=rows), True)
    elif name in ("auc", "average_precision"):
        function = "roc_auc_score" if name == "auc" else "average_precision_score"
        if labels == 2 or positive is not None:
            made = WrittenMeasure(
                [(METRICS, function)], f"{function}(y == classes[{k}], proba[:, {k}]{{weight}})", True
            )
        else:
            each = f"{function}(y == c, proba[:, k]{{weight}}) for k, c in enumerate(classes) if (y == c).any()"
            made = WrittenMeasure([(METRICS, function), NUMPY], f"np.mean([{each}])", True)
    elif name == "f1":
        about = (
            f"pos_label=classes[{k}]" if labels == 2 or positive is not None else 'labels=np.unique(y), average="macro"'
        )
        if labels > 2 and positive is not None:
            about = f'labels=[classes[{k}]], average="macro"'
        made = called("f1_score", f"{about}, zero_division=0")
        made = made._replace(imports=[*made.imports, NUMPY])
    else:
        functions = {
            "accuracy": "accuracy_score",
            "balanced_accuracy": "balanced_accuracy_score",
            "rmse": "root_mean_squared_error",
            "mae": "mean_absolute_error",
            "median_error": "median_absolute_error",
            "r2": "r2_score",
        }
        made = called(functions[name])
    return made._replace(code=made.code.replace("{weight}", ", sample_weight=weight" if weighted else ""))
