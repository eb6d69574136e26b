"""A page of a study: what can be set on it, and what it shows for that.

A page is a module with three functions of the study: `closed` gives the key of the words that say why there is nothing to show, or
"" where there is; `controls` what can be set; `shown` the values, arrays and views. It computes by public functions of novum; the
browser computes nothing.
"""

import warnings
from typing import Any, NamedTuple

from novum.exceptions import DataWarning
from novum.lab.analyst.folder import Study
from novum.lab.controls import Control, Refusal, shown_value
from novum.lab.protocol.arrays import encoded, plain_number
from novum.lab.protocol.digest import VERSION

__all__ = ["Shown", "page_answer"]


class Shown(NamedTuple):
    """What a page shows."""

    values: dict[str, Any]
    arrays: dict[str, Any]
    views: list[dict[str, Any]]
    say: tuple[str, dict[str, Any]] | None = None
    notes: tuple[str, ...] = ()  # sentences that the study wrote


def page_answer(page: Any, name: str, study: Study, state: Any) -> dict[str, Any]:
    """Return the answer to a page's request, or raise a Refusal of its values."""
    controls: dict[str, Control] = page.controls(study)
    if not isinstance(state, dict):
        raise Refusal(f"state={shown_value(state)}: must hold the values of controls by their names.")
    for key in state:
        if key not in controls:
            raise Refusal(f"{shown_value(key)}: there is no such control on the page {name}.", None)
    described = [control.described(key) for key, control in controls.items()]
    given = {
        one["name"]: controls[one["name"]].check(one["name"], state.get(one["name"], one["default"]))
        for one in described
    }
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        shown = page.shown(study, given)
    doubts = dict.fromkeys(str(one.message) for one in caught if issubclass(one.category, DataWarning))
    return {
        "v": VERSION,
        "page": name,
        "controls": described,
        "state": given,
        "values": {key: plain_number(value) for key, value in shown.values.items()},
        "arrays": {key: encoded(value) for key, value in shown.arrays.items()},
        "views": shown.views,
        "say": list(shown.say) if shown.say else None,
        "notes": [*shown.notes, *doubts],
    }
