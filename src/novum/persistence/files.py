"""Save fitted estimators to files that are safe to load: `novum.save`, `novum.load`.

The format is skops's, never pickle: loading builds objects of known types from data and runs no code that the file
chose. Types come from novum and scikit-learn only (`novum.persistence.archive` says which, and checks everything else
about a file first); every object holds what its class declares (`novum.persistence.attributes`, and `sklearn_state` there), or
the file is refused. Callbacks are not saved, and of code only its name (`novum.persistence.code`). A file is written whole or not
at all.
"""

import io
import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import ZipFile

from novum import __version__
from novum.base.sklearn_base import BaseEstimator
from novum.exceptions import FileFormatError
from novum.persistence.archive import ABOUT, Contents, inspect
from novum.persistence.attributes import check_declared
from novum.persistence.code import codes_of, give_code, without_code
from novum.persistence.packing import compressed, packed, unpack_all
from novum.persistence.renames import CHANGES, FORMAT
from novum.persistence.sklearn_state import check_companions, names_of
from novum.persistence.skops_module import skops_io
from novum.runtime.writing import check_plain, replace_file

__all__ = ["file_bytes", "load", "save", "saved_with"]

RECORDED = ("numpy", "scipy", "scikit-learn", "skops")
MOST_NAMES, LONGEST_NAME, LONGEST_TEXT = 20, 120, 400  # of what a file says, in an error
CALLBACK_STATE = {"_skl_callbacks", "_parent_callback_ctx", "_callback_fit_ctx", "_skl_callbacks_to_teardown"}


def versions() -> dict[str, str]:
    """Return what is recorded in every file."""
    return {"format": FORMAT, "novum": __version__, **{package: version(package) for package in RECORDED}}


def without_callbacks(value: Any, seen: dict[int, Any]) -> Any:
    """Return a value with the callbacks of every estimator in it left out; what has none is returned as it is."""
    if id(value) not in seen:
        seen[id(value)] = value  # what leads back to itself ends here
        seen[id(value)] = _rebuilt(value, seen)
    return seen[id(value)]


def _rebuilt(value: Any, seen: dict[int, Any]) -> Any:
    if type(value) in (list, tuple):
        items = [without_callbacks(item, seen) for item in value]
        return type(value)(items) if any(new is not old for new, old in zip(items, value)) else value
    if getattr(type(value), "_packed_in_files", False):
        return packed(value)
    before = vars(value) if isinstance(value, BaseEstimator) else value
    if type(before) is not dict:
        return value
    held = before if before is value else without_code(value, before)
    after = {key: without_callbacks(item, seen) for key, item in held.items() if key not in CALLBACK_STATE}
    if held is before and len(after) == len(before) and all(after[key] is item for key, item in before.items()):
        return value
    if before is value:
        return after
    result = object.__new__(type(value))
    result.__dict__ = after
    return result


def foreign_types(path: Path, names: list[str], what: str) -> FileFormatError:
    """Return the error that lists types which are not loaded; their names are the file's own, so only so many."""
    listed = ", ".join(repr(name)[1:-1][:LONGEST_NAME] for name in names[:MOST_NAMES])
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return FileFormatError(
        f"{path}: {what}, because it contains {listed}{more}. A model file holds estimators of novum and scikit-learn, "
        "arrays and plain values; functions and other classes are not among them."
    )


def unchecked_types(path: Path, names: list[str], refusal: str) -> FileFormatError:
    """Return the error for classes of scikit-learn whose compiled code trusts what a file says."""
    listed = ", ".join(names[:MOST_NAMES])
    return FileFormatError(
        f"{path}: {refusal}, because it contains {listed}, whose state cannot be checked and whose compiled code would trust"
        f" it. If you know who wrote the file: novum.load(path, trusted={names[:MOST_NAMES]})."
    )


def build(
    path: Path, file: BinaryIO, contents: Contents, refusal: str, trusted: set[str], code: Any = None
) -> BaseEstimator:
    """Make the estimator that a checked file describes, with the caller's code where it has some, or raise."""
    skops = skops_io()
    from skops.io.exceptions import UntrustedTypesFoundException

    file.seek(0)
    try:
        if contents.foreign:
            raise UntrustedTypesFoundException(contents.foreign)
        if unchecked := [name for name in contents.unchecked if name not in trusted]:
            raise unchecked_types(path, unchecked, refusal)
        estimator = skops.load(file, trusted=contents.trusted)
        unpack_all(estimator)
        give_code(estimator, code)
        check_companions(estimator, trusted)
        check_declared(estimator)
    except UntrustedTypesFoundException as error:
        file.seek(0)
        names = contents.foreign or sorted(set(skops.get_untrusted_types(data=file.read())) - set(contents.trusted))
        raise foreign_types(path, names, refusal) from error
    except FileFormatError as error:
        known = str(error).startswith(str(path))
        raise error if known else FileFormatError(f"{path}: {refusal}, because {error}") from error
    except Exception as error:  # contents of the right types that do not fit together
        text = str(error)[:LONGEST_TEXT]
        raise FileFormatError(f"{path}: {refusal}: {text} (written with {contents.versions})") from error
    if not isinstance(estimator, BaseEstimator):
        raise FileFormatError(f"{path}: {refusal}, because it holds no estimator but {type(estimator).__name__}.")
    return estimator


def archive_of(estimator: BaseEstimator) -> io.BytesIO:
    """Return the bytes of a model file, compressed unless it would then seem to unpack to more than a file may."""
    plain = io.BytesIO()
    skops_io().dump(without_callbacks(estimator, {}), plain)
    with ZipFile(plain, "a") as archive:
        archive.writestr(ABOUT, json.dumps(versions()))
    small = compressed(plain)
    try:
        inspect(small)
    except FileFormatError:
        return plain
    return small


def file_bytes(estimator: BaseEstimator) -> int:
    """Return how many bytes the file of an estimator takes.

    Raises
    ------
    FileFormatError
        If it cannot be saved.
    """
    try:
        return archive_of(estimator).seek(0, io.SEEK_END)
    except Exception as error:  # whatever skops meets in an object it cannot write
        raise FileFormatError(f"this {type(estimator).__name__} cannot be saved: {error}") from error


def save(estimator: BaseEstimator, path: str | os.PathLike) -> Path:
    """Save an estimator, fitted or not, to one file.

    Parameters
    ----------
    estimator : estimator
        Of novum, or of scikit-learn (a Pipeline, say) with novum's inside. Its callbacks are not saved. Of a search
        with a scorer of its own, which is a function, save `best_estimator_`.
    path : str or path
        The file, by convention `something.novum`. A plain file that was there is replaced, in one step and only when all is
        written, and keeps its permissions; a link stays, and the file that it leads to is replaced.

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    FileFormatError
        If the estimator holds something that could not be loaded again, such as a function or a class of your own.
    SourceError
        If there is something else than a plain file: a folder, a device, a pipe.

    Examples
    --------
    >>> import tempfile, numpy as np, novum
    >>> from novum.linear_model import LinearRegression
    >>> X = np.arange(6.0).reshape(6, 1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = novum.save(LinearRegression().fit(X, 2 * X[:, 0] + 1), f"{folder}/line.novum")
    ...     model = novum.load(path)
    >>> model.predict([[10.0]]).round(6)
    array([21.])
    """
    path = Path(path)
    name = type(estimator).__name__
    if not isinstance(estimator, BaseEstimator) or isinstance(estimator, type):
        own = " It has a method of its own: save(path)." if callable(getattr(estimator, "save", None)) else ""
        text = repr(estimator)[:LONGEST_TEXT]
        raise FileFormatError(f"{path}: cannot save {text}, which is not an estimator; save(estimator, path).{own}")
    check_plain(path)  # before the work
    try:
        buffer = archive_of(estimator)
        contents = inspect(buffer, max_bytes=sys.maxsize)
    except Exception as error:  # whatever skops meets in an object it cannot write
        raise FileFormatError(f"{path}: cannot save this {name}: {error}") from error
    refusal = f"this {name} could not be loaded again"
    build(path, buffer, contents, refusal, set(contents.unchecked), codes_of(estimator))
    replace_file(path, buffer.getbuffer())
    return path


def checked_archive(path: Path, file: BinaryIO, max_bytes: int | None) -> Contents:
    """Return the contents of a file of this format or an older one after every check, or raise."""
    try:
        contents = inspect(file, max_bytes)
    except Exception as error:  # a hostile or damaged file can make zipfile, json and NumPy raise nearly anything
        raise FileFormatError(
            f"{path}: not a model file of novum, or a damaged one: {str(error)[:LONGEST_TEXT]}"
        ) from error
    written = contents.versions.get("novum", "")
    major = re.match(r"(\d{1,9})\.", written)
    if not major or contents.versions.get("format") is None:
        raise FileFormatError(f"{path}: not a model file of novum: its version reads {written!r}.")
    if int(major[1]) > int(__version__.split(".")[0]) or contents.versions["format"] not in (FORMAT, *CHANGES):
        raise FileFormatError(
            f"{path}: written by novum {written}, and this is novum {__version__}; "
            "upgrade with pip install --upgrade novum."
        )
    return contents


def checked_contents(path: Path, file: BinaryIO, max_bytes: int | None) -> Contents:
    """Return the contents of a file of this format after every check, or raise."""
    contents = checked_archive(path, file, max_bytes)
    if (older := contents.versions["format"]) != FORMAT:
        raise FileFormatError(
            f"{path}: written by novum {contents.versions['novum']} in format {older}, and novum {__version__} reads format"
            f" {FORMAT}; convert it with: novum convert {shlex.quote(str(path))} NEW"
        )
    return contents


def load(
    path: str | os.PathLike,
    *,
    max_bytes: int | None = None,
    trusted: Iterable[type | str] = (),
    module: Callable[..., Any] | Sequence[Any] | None = None,
) -> Any:
    """Load an estimator that `save` wrote.

    No code from the file is run, and every object in it holds only attributes that its class declares, of the declared kinds
    and shapes; what cannot be checked is refused. In files that were damaged on purpose, 612 in all, this kept every load and
    prediction from crashing, but a forged model may still raise plain errors or predict nonsense: of a stranger's file trust
    the first, not the second.

    Parameters
    ----------
    path : str or path
        The file; its extension does not matter.
    max_bytes : int or None, default=None
        The most memory its contents may take. None: 20 times the size of the file, at least 256 MiB.
    trusted : iterable of classes or names, default=()
        Classes of scikit-learn to load although their compiled code trusts what the file says, such as
        `[sklearn.svm.SVC]`: for files whose writer you know. A file that needs it says so.
    module : torch.nn.Module, callable, list of them or None, default=None
        The network of a `TorchClassifier` or `TorchRegressor` (and its `loss`, where it has one of its own), which is code and so
        in no file: what the estimator was made with, by the same name. The file's weights must fit it. A file that needs it says
        so.

    Returns
    -------
    estimator
        Its predictions are those of the one that was saved, bit for bit.

    Raises
    ------
    FileFormatError
        If the file is damaged, not a model file, of an older format (`novum convert` makes it one of this) or a newer
        version, or holds types that are not loaded.
    """
    path = Path(path)
    with open(path, "rb") as file:
        return build(path, file, checked_contents(path, file, max_bytes), "refused", names_of(trusted), module)


def saved_with(path: str | os.PathLike) -> dict[str, str]:
    """Return the versions of novum and its companions that wrote a file."""
    path = Path(path)
    with open(path, "rb") as file:
        return checked_archive(path, file, None).versions
