"""Parameters that are code, such as the network of `TorchClassifier`: a model file names them, whoever loads it brings them.

A class lists such parameters in `_code_parameters`. In the file each is empty, and the attribute `code_names_` keeps its name: that
of the function, or of the class of an object, with its module. `novum.load(path, module=...)` puts the caller's own object there
if it has the recorded name; what was defined in a script or notebook (`__main__`) may have moved to a module since. Then the class
checks that the arrays in the file fit it (`_check_code`). So no file chooses what runs.
"""

from collections.abc import Iterator
from typing import Any

from novum.exceptions import FileFormatError
from novum.persistence.attributes import own_objects

__all__ = ["RECORD", "codes_of", "give_code", "name_of", "without_code"]

RECORD = "code_names_"
SCRIPT = "__main__"


def name_of(code: Any) -> str:
    """Return the name that a file keeps of a function, or of an object by its class."""
    named = code if hasattr(code, "__qualname__") else type(code)
    return f"{named.__module__}.{named.__qualname__}"


def code_parameters(item: Any) -> tuple[str, ...]:
    return getattr(type(item), "_code_parameters", ())


def without_code(item: Any, state: dict[str, Any]) -> dict[str, Any]:
    """Return the state of an object with its code replaced by the names of it."""
    names = {name: name_of(state[name]) for name in code_parameters(item) if state.get(name) is not None}
    return {**state, **dict.fromkeys(names), RECORD: names} if names else state


def with_code(value: Any) -> Iterator[Any]:
    """Yield the objects in a value whose class has parameters that are code."""
    return (item for item in own_objects(value) if code_parameters(item))


def codes_of(value: Any) -> list[Any]:
    """Return the code that the objects in a value hold, as `load(module=...)` takes it."""
    held = (vars(item).get(name) for item in with_code(value) for name in code_parameters(item))
    return [code for code in held if code is not None]


def same_name(recorded: str, given: str) -> bool:
    """Return whether two names mean one thing; what a script defined may have moved into a module, or back."""
    if recorded == given:
        return True
    (one, _, mine), (two, _, yours) = recorded.rpartition("."), given.rpartition(".")
    return mine == yours and SCRIPT in (one, two)


def give_code(value: Any, given: Any) -> None:
    """Put the caller's code into every object that a file says it belongs to, or raise FileFormatError."""
    offered = list(given) if isinstance(given, list | tuple) else [] if given is None else [given]
    for item in with_code(value):
        names = vars(item).pop(RECORD, {})
        owner = type(item).__name__
        if not isinstance(names, dict) or not set(names) <= set(code_parameters(item)):
            raise FileFormatError(f"its {owner} names code for {str(names)[:80]!r}, which it has no parameters for")
        for parameter, recorded in names.items():
            fitting = [code for code in offered if same_name(str(recorded), name_of(code))]
            if not fitting:
                got = f"; it was given {', '.join(name_of(code) for code in offered)[:200]}" if offered else ""
                raise FileFormatError(
                    f"its {owner} was saved with {parameter}={str(recorded)[:120]}, which is code and so in no file: load it with"
                    f" novum.load(path, module={str(recorded)[:120].rpartition('.')[2]}){got}"
                )
            setattr(item, parameter, fitting[0])
        if names:
            item._check_code()
