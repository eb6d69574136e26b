"""The parts of a program that make, fit and ask the kept model."""

import re
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from novum.decision_theory import LossMatrixClassifier
from novum.exceptions import DataError
from novum.study.comparison.blend import Combination
from novum.study.comparison.compare import models_of
from novum.study.comparison.isotonic import IsotonicScaled
from novum.study.export.combined_code import Members, combined_code, members_in
from novum.study.export.expressions import INDENT, Writer, joined

__all__ = ["fit_code", "folds_of", "functions_for", "members_of", "part_code", "renamed"]

BODY = 104  # characters of a line that a function returns


def members_of(model: Any) -> Members:
    """Return the pipelines of a kept model, judged or saved, and how what they say is made one."""
    if isinstance(model, LossMatrixClassifier):
        return members_of(model.estimator)
    if isinstance(model, Combination):
        return members_in(model)
    if isinstance(model, IsotonicScaled):
        return members_of(model.estimator)._replace(curves=list(model.curves))
    if isinstance(model, Pipeline) and isinstance(model[-1], IsotonicScaled):
        *before, (name, last) = model.steps
        return members_of(Pipeline([*before, (name, last.estimator)]))._replace(curves=list(last.curves))
    if isinstance(model, Pipeline) and [step for step, _ in model.steps] == ["model"]:
        return members_of(model[-1])
    return Members([model], [1.0])


def folds_of(result: Any) -> list[int]:
    """Return the number of the fold whose rows each member was fitted on; none where all were fitted on the same rows."""
    rows = result.formalisation.rows()
    if not result.of_folds or (result.share < 1 and not result.options["time"]):
        return []
    compared, parts = rows.compared(), rows.folds(result.n_folds)
    first = [compared[fold.train] for fold in result.scores.folds if fold.repeat == 0]
    numbers = [next((k for k, part in enumerate(parts) if np.array_equal(part, some)), -1) for some in first]
    fitted = [models for models in models_of(result.scores, result.kept.position) if len(models) == len(first)]
    whose = {id(one.pipeline[0]): number for models in fitted for one, number in zip(models, numbers)}
    found = [whose.get(id(member[0]), -1) for member in members_of(result.judged_model).pipelines]
    if result.refitted or -1 in found:
        raise DataError(
            "export: for want of time the kept model is one that was fitted in the comparison, and it is not known any more on"
            " which rows; give the study more time, and the model that it fits then can be written."
        )
    return found


def functions_for(
    members: list[Any], name: str, about: str, writer: Writer, known: dict[str, str]
) -> tuple[list[str], list[str]]:
    """Return functions that make the members, but for those that are known, and the names of all of them."""
    codes: list[str] = []

    def named(made: str, wanted: str) -> str:
        if made not in known:
            known[made] = wanted
            codes.append(function(wanted, made))
        return known[made]

    makers = []
    for number, member in enumerate(members, start=1):
        place = f"_{number}" if len(members) > 1 else ""
        if isinstance(member, Pipeline) and [step for step, _ in member.steps] == ["columns", "model"]:
            columns = named(writer.text(member[0], about, BODY), name.replace("model", "columns") + place)
            step = writer.text(member[-1], about, BODY - INDENT, 11)
            parts = [f'("columns", {columns}())', f'("model", {step})']
            made = f"Pipeline({joined('[', parts, ']', BODY - 10)})"
            writer.imports.add(("sklearn.pipeline", "Pipeline"))
        else:
            made = writer.text(member, about, BODY)
        makers.append(named(made, name + place))
    return codes, makers


def function(name: str, made: str) -> str:
    """Return a function that makes something."""
    return f"def {name}():\n    return " + made.replace("\n", "\n    ")


def renamed(code: str) -> str:
    """Return the code of a measure with the truth under the name that the program gives it."""
    return re.sub(r"\by\b", "truth", code)


def fit_code(result: Any, members: Members, parted: bool, weighted: bool, writer: Writer) -> str:
    """Return the functions that fit, and say what a fitted model says; parted: each member is fitted on rows of its own."""
    ensemble, classify, each = members.several, bool(result.task.labels), "part" if parted else "some"
    weights = f", model__sample_weight=weight[{each}]" if weighted else ""
    given = f"X.iloc[{each}], y[{each}]{weights}"
    which = "one, part in zip(make, some)" if parted else "one in make"
    one = f"[one().fit({given}) for {which}]" if ensemble else f"make().fit({given})"
    writer.imports.add(("threadpoolctl", "threadpool_limits"))
    says = "Return the model fitted on some of the rows; one thread adds in one order, to the same bits."
    if parted:
        says = "Return the models, each fitted on its part of the rows; one thread adds in one order, to the same bits."
    code = [f'def fitted(make, some):\n    """{says}"""\n    with threadpool_limits(1):\n        return {one}']
    more, said = combined_code(members, classify, writer)
    if classify:
        first = "model[0]" if ensemble else "model"
        code.append(f"def judged_classes(model):\n    return {first}.classes_")
        code += more
        code.append(
            f'def probabilities(model, frame):\n    """Return the probability of every class."""\n    return {said}'
        )
    says = '"""Return what the model predicts for rows like X."""'
    if result.costs is not None:
        body = "judged_classes(model)[np.argmin(probabilities(model, frame) @ COSTS, axis=1)]"
        says = '"""Return the classes of least expected cost."""'
    elif classify and (ensemble or members.curves):
        body = "judged_classes(model)[np.argmax(probabilities(model, frame), axis=1)]"
    elif ensemble:
        body = said
    else:
        body = "model.predict(frame)"
    code.append(f"def decided(model, frame):\n    {says}\n    return {body}")
    return "\n\n\n".join(code)


def part_code(result: Any, rows: str, writer: Writer) -> str:
    """Return the rows that a fit takes: all of some, or as many as there was time for."""
    if result.share >= 1:
        return rows
    count = f"round({result.share!r} * len({rows}))"
    if result.options["time"]:
        return f"{rows}[-{count}:]"
    writer.imports.add(("numpy", "np"))
    seed = result.options["random_state"]
    return f"np.sort(np.random.default_rng({seed}).choice({rows}, {count}, replace=False))"
