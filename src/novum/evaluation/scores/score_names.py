"""Names of scores, refused with the names that come close instead of a list of all."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from sklearn.metrics import get_scorer_names

from novum.exceptions import ParameterError

__all__ = ["check_names", "check_one_score"]

CLOSE = 3  # names shown


def check_names(owner: str, scoring: Any, more: tuple[str, ...] = ()) -> None:
    """Refuse names that are neither scikit-learn's nor in `more`; `scoring` is a name, several, or a dict of them."""
    several = scoring.values() if isinstance(scoring, Mapping) else scoring
    names = [scoring] if isinstance(scoring, str) else several if isinstance(several, list | tuple | set) else []
    known = (*more, *get_scorer_names())
    for name in names:
        if isinstance(name, str) and name not in known:
            begun = [one for one in known if one.startswith(name)]
            near = (begun + [one for one in get_close_matches(name, known, CLOSE) if one not in begun])[:CLOSE]
            hint = f"did you mean {', '.join(near)}?" if near else "see sklearn.metrics.get_scorer_names()."
            raise ParameterError(f"{owner}(scoring={name!r}): there is no score of this name; {hint}")


def check_one_score(owner: str, scoring: Any, more: tuple[str, ...] = ()) -> None:
    """Refuse several scores where one decides."""
    if isinstance(scoring, list | tuple | set | Mapping):
        raise ParameterError(f"{owner}(scoring={scoring!r}): one score only; call it once for each.")
    check_names(owner, scoring, more)
