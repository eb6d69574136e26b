"""A page of a study: what can be set on it, and what it shows for that.

A page is a module with three functions of the study: `closed` gives the key of the words that say why there is nothing to show, or
"" where there is; `controls` what can be set, which may depend on the state that was sent, unchecked as it is; `shown` the values,
arrays and views. It computes by public functions of novum; the browser computes nothing.
"""

import warnings
from typing import Any, NamedTuple

from novum.exceptions import DataWarning
from novum.lab.controls import Control, Refusal, shown_value
from novum.lab.protocol.arrays import encoded, plain_number
from novum.lab.protocol.digest import VERSION

__all__ = ["Shown", "checked_state", "page_answer"]


class Shown(NamedTuple):
    """What a page shows."""

    values: dict[str, Any]
    arrays: dict[str, Any]
    views: list[dict[str, Any]]
    say: tuple[str, dict[str, Any]] | None = None
    notes: tuple[Any, ...] = ()  # sentences that the study wrote, or keys of the page's words with what they name


def checked_state(name: str, controls: dict[str, Control], state: Any) -> dict[str, Any]:
    """Return the values of all controls, those that were not given by their defaults, or raise a Refusal."""
    if not isinstance(state, dict):
        raise Refusal(f"state={shown_value(state)}: must hold the values of controls by their names.")
    for key in state:
        if key not in controls:
            raise Refusal(f"{shown_value(key)}: there is no such control on the page {name}.", None)
    usual = {key: control.described(key)["default"] for key, control in controls.items()}
    return {key: control.check(key, state.get(key, usual[key])) for key, control in controls.items()}


def page_answer(page: Any, name: str, study: Any, state: Any) -> dict[str, Any]:
    """Return the answer to a page's request, or raise a Refusal of its values."""
    controls: dict[str, Control] = page.controls(study, state if isinstance(state, dict) else {})
    given = checked_state(name, controls, state)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        shown = page.shown(study, given)
    doubts = dict.fromkeys(str(one.message) for one in caught if issubclass(one.category, DataWarning))
    return {
        "v": VERSION,
        "page": name,
        "controls": [control.described(key) for key, control in controls.items()],
        "state": given,
        "values": {key: plain_number(value) for key, value in shown.values.items()},
        "arrays": {key: encoded(value) for key, value in shown.arrays.items()},
        "views": shown.views,
        "say": list(shown.say) if shown.say else None,
        "notes": [*shown.notes, *doubts],
    }
