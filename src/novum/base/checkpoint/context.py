"""`novum.checkpoint`: whatever is fitted inside goes on where it stood when the same program runs again."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeVar, cast

from novum.runtime.journal import Journal, recording
from novum.runtime.journal.steps import active

__all__ = ["checkpoint", "keeps_its_own_steps"]


@contextmanager
def checkpoint(path: str | os.PathLike, *, keep: bool = False) -> Iterator[Journal]:
    """Write every finished step of what is fitted or sampled in a `with` block to a file, and read it when the program runs again.

    Steps are passes over the rows, trees, epochs, stretches of chains. A program that was killed, at whatever moment, loses the
    step in flight: run it again, and it goes on to the same bits as if nothing had happened.

    Parameters
    ----------
    path : str or path-like
        The file; made if it is not there, and held by one process at a time. It grows with every step, by what the step came to:
        sums, trees, weights or draws, and where a start is made from a sample of the rows, that sample.
    keep : bool, default=False
        Keep the file when the block ends. By default it is removed then; an exception or a kill leaves it.

    Yields
    ------
    Journal
        `read` and `made` count the steps.

    Raises
    ------
    ParameterError
        From a fit whose parameters or data are not those of the file.
    FileFormatError
        For a file that is no checkpoint, or a damaged one.

    Notes
    -----
    What is fitted in other processes (joblib's) or threads of your own is not written down. Learners without steps of
    their own (support vector machines, exact trees) are fitted anew. Rows are compared by a checksum, which takes one pass.

    Examples
    --------
    >>> import tempfile, numpy as np, novum
    >>> from novum.mixture import GaussianMixture
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> with novum.checkpoint(tempfile.mkdtemp() + "/fit.ckpt") as steps:
    ...     model = GaussianMixture(2, random_state=0).fit(X)
    >>> steps.made > 0, steps.read
    (True, 0)
    """
    journal = Journal(path)
    token = active.set(journal)
    try:
        yield journal
    except BaseException:
        journal.close()
        raise
    else:
        journal.close()
        if not keep:
            journal.remove()
    finally:
        active.reset(token)


Method = TypeVar("Method", bound=Callable[..., Any])


def keeps_its_own_steps(method: Method) -> Method:
    """Mark a method that writes down its steps itself, in the folder that its argument `resume` names; a checkpoint gives it one.

    What is fitted meanwhile is no step: a search against the clock takes another way each time.
    """

    @wraps(method)
    def wrapper(self: Any, *args: Any, resume: str | os.PathLike | None = None, **kwargs: Any) -> Any:
        journal = recording()
        if journal is None:
            return method(self, *args, resume=resume, **kwargs)
        token = active.set(None)
        try:
            folder = journal.folder(type(self).__name__) if resume is None else resume
            return method(self, *args, resume=folder, **kwargs)
        finally:
            active.reset(token)

    return cast(Method, wrapper)
