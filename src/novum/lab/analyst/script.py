"""Take away: the program of the kept model as the study wrote it, and after it what was set on the pages.

study.json holds the program: it needs the fits, which no other file of the folder has. What was set are the threshold with its
costs and the row that was asked about; their steps print what the pages show.
"""

import json
from pathlib import Path
from typing import Any

from novum.lab.analyst import thresholds, what_if
from novum.lab.analyst.folder import Study, study_in
from novum.lab.analyst.page import checked_state
from novum.lab.controls import Refusal, shown_value
from novum.study.export.expressions import quoted
from novum.study.export.notebook import notebook_text
from novum.study.export.program import Step, script_text

__all__ = ["closed", "script_of"]


def closed(study: Study) -> str:
    program = study.document.get("program")
    return "take-away" if program is None else "no_program" if "reason" in program else ""


def script_of(folder: str, state: Any, form: str, data: str | None = None) -> dict[str, Any]:
    """Return the script or the notebook of a study with the states of its pages.

    Parameters
    ----------
    state : dict
        What was set on a page, by the page's name.
    form : {"python", "notebook"}
    """
    study = study_in(Path(folder), None if data is None else Path(data))
    if not isinstance(state, dict):
        raise Refusal(f"state={shown_value(state)}: must hold the states of pages by their names.")
    program = study.document["program"]
    steps = [Step(**one) for one in program["script" if form == "python" else "notebook"]]
    if not thresholds.closed(study) and isinstance(state.get("thresholds"), dict):
        steps.append(threshold_step(study, state["thresholds"]))
    if not what_if.closed(study) and isinstance(state.get("what-if"), dict):
        steps.append(row_step(study, state["what-if"]))
    if form == "python":
        return {"python": script_text(steps)}
    return {"notebook": json.loads(notebook_text(steps))}


def threshold_step(study: Study, state: dict[str, Any]) -> Step:
    """Return the step that judges a threshold by costs on the rows put away."""
    given = checked_state("thresholds", thresholds.controls(study, state), state)
    positive, t = quoted(thresholds.positive_of(study)), given["threshold"]
    code = f"""import numpy as np

p = probabilities(judged, X.iloc[held])[:, [str(one) for one in judged_classes(judged)].index({positive})]
positive = np.array([str(one) == {positive} for one in truth])
costs = np.array({given["costs"]!r})  # by what is true and what is said
cost = costs[positive.astype(int), (p >= {t!r}).astype(int)].mean()
print(cost)"""
    return Step("The threshold", ["What saying the class from this probability on costs on the rows put away."], code)


def row_step(study: Study, state: dict[str, Any]) -> Step:
    """Return the step that predicts the row that was made up."""
    given = checked_state("what-if", what_if.controls(study, state), state)
    frame = what_if.frame_of(what_if.model_of(study), given)
    cells = "".join(f"    {quoted(name)}: [{literal(frame[name][0])}],\n" for name in frame.columns)
    code = f"import pandas as pd\n\nrow = pd.DataFrame({{\n{cells}}})\nprint(predict(row)[0])"
    return Step("The row that was asked about", ["What the model says of a row that was made up."], code)


def literal(cell: Any) -> str:
    """Return a cell as Python writes it."""
    return quoted(cell) if isinstance(cell, str) else "None" if cell is None or cell != cell else repr(float(cell))
