"""Every public name that a row of the notes lists is used by the tests that are marked with the row."""

import inspect
from functools import cache
from pkgutil import resolve_name

from markednames import names_of_tests, names_used
from marks import marks

from novum import notes
from novum.notes.public_names import public_names
from novum.notes.tables import names_of


@cache
def makers():
    """Return {class: names of the public functions that are annotated to return it}: presets, loaders, generators."""
    found = {}
    for name in public_names():
        value = resolve_name(name.path)
        if inspect.isfunction(value) and "<" not in value.__qualname__ and "." not in value.__qualname__:
            returned = value.__annotations__.get("return")
            found.setdefault(getattr(returned, "__name__", returned), set()).add(value.__name__)
    return found


@cache
def stand_ins(name):
    """Return the names by which a test may meet a dotted one: its own; of a class also its subclasses and what makes one."""
    found, waiting = {name.rpartition(".")[2]}, [resolve_name(name)]
    while waiting:
        value = waiting.pop()
        if inspect.isclass(value):
            found |= {value.__name__, *makers().get(value.__name__, ())}
            waiting.extend(value.__subclasses__())
    return frozenset(found)


def test_every_name_of_a_row_is_used_by_its_tests():
    found, missing = marks(), {}
    for row in notes.ledger():
        used = names_of_tests(found.get(row.key, ()))
        unused = [name for name in names_of(row) if "/" not in name and not stand_ins(name) & used]
        if unused:
            missing[row.key] = unused
    assert not missing, "use them in a test with the row's mark, or mend src/novum/notes/names.tsv"


def test_what_stands_in_words_only_is_no_use(tmp_path):
    file = tmp_path / "test_some.py"
    file.write_text(
        """from novum.cluster import KMeans, MiniBatchKMeans as Small, elbow

CASES = [Small(), "novum.linear_model.Ridge"]


def helper(model):
    return model.plot()


@pytest.mark.notes("002", "entropy")
@pytest.mark.parametrize("case", CASES)
def test_some(case):
    'KMeans'
    helper(case)  # elbow
"""
    )
    used = names_used(file, "test_some")
    assert {"MiniBatchKMeans", "Ridge", "plot"} <= used
    assert not {"KMeans", "elbow", "entropy", "model"} & used
