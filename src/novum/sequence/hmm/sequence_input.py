"""How a hidden Markov model reads what it is given: sequences in memory, files of rows with a group column, Dask collections."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.base import validation
from novum.base.device_forms import check_rows_on_device
from novum.exceptions import DataError
from novum.fold.recorded import recorded
from novum.runtime import arrays, devices
from novum.sequence.hmm.bundles import Bundle, bundles_of, check_known_states, check_sequence_weight, gather
from novum.sequence.hmm.sequences import DaskSequences, FileSequences, MemorySequences, Sequences

__all__ = ["SequenceInputMixin"]

SAMPLE_ROWS = 20_000  # rows from which a start is made


def in_one_partition(X: Any) -> Any:
    """Return a Dask collection whose rows are one sequence, as everywhere without groups: they meet on one worker."""
    if hasattr(X, "repartition"):
        return X.repartition(npartitions=1) if X.npartitions > 1 else X
    if len(X.chunks[0]) == 1:
        return X
    known = X.compute_chunk_sizes() if np.isnan(X.chunks[0]).any() else X
    return known.rechunk({0: -1})


class SequenceInputMixin:
    """From X, lengths and groups to sequences; `_convert` turns rows into what the emissions take."""

    n_components: Any
    n_features: Any
    n_jobs: int | None

    @property
    def _k(self) -> int:
        """Number of states."""
        return int(self.n_components)

    def _convert(self, rows: NDArray) -> NDArray:
        """Return rows as the emissions take them, or raise."""
        return rows

    def _sequences(
        self, X: Any, lengths: Any, groups: Any, states: Any, weight: Any, *, reset: bool = False
    ) -> Sequences:
        """Return what was passed as sequences, after every check."""
        owner = type(self).__name__
        home = validation.home_of(X)
        if home in ("file", "dask"):
            if lengths is not None or states is not None or weight is not None:
                raise DataError(
                    f"{owner}: sequences in a {home} are separated by a group column: groups=; lengths, states and"
                    " sequence_weight are for rows in memory."
                )
            return self._distant_sequences(X, groups, home, reset)
        given = gather(owner, X, lengths, groups)
        if arrays.is_tensor(given.rows) and not devices.on_host(given.rows):
            check_rows_on_device(self, True)
            if states is not None:
                raise DataError(f"{owner}: known states are for rows in memory, and X is on a device; give X.cpu().")
            from novum.sequence.hmm.device.sequences import TensorSequences

            rows = self._read_tensor(given.rows, reset)
            weight = check_sequence_weight(owner, weight, len(given.lengths))
            return TensorSequences(rows, given.lengths, weight, self._k, given.order)
        rows = self._read(given.rows, reset)
        weight = check_sequence_weight(owner, weight, len(given.lengths))
        known = check_known_states(owner, states, given.lengths, self._k, given.order)
        return recorded(MemorySequences(bundles_of(rows, given.lengths, weight, known), self.n_jobs, given.order))

    def _distant_sequences(self, X: Any, groups: Any, home: str, reset: bool) -> Sequences:
        if home == "file":
            if isinstance(groups, str) and X.target != groups:
                X = X.with_target(groups)
            source = validation.open_source(self, X, target="classes" if X.has_target else None, reset=reset)
            return recorded(FileSequences(source, self._convert, self.n_jobs))
        y = None
        if isinstance(groups, str):
            X, y = X.drop(columns=[groups]), X[groups]
        else:
            X = in_one_partition(X)
        source = validation.open_source(self, X, y, target=None if y is None else "classes", reset=reset)
        return DaskSequences(source, self._convert)

    def _check_width(self, columns: int) -> None:
        """Raise where parameters that were given are for another number of columns; scikit-learn's words."""
        if isinstance(getattr(type(self), "n_features", None), property) and columns != self.n_features:
            owner = type(self).__name__
            raise DataError(
                f"X has {columns} features, but {owner} is expecting {self.n_features} features as input: its parameters are for"
                " so many."
            )

    def _read(self, rows: Any, reset: bool) -> NDArray:
        """Return the rows of all sequences as an array; features are recorded or compared."""
        tiles = validation.check_rows(self, rows, reset=reset, accept_sparse=False)
        values = np.ascontiguousarray(tiles.tile(0, tiles.shape[0]), np.float64)
        if not _core.runtime.tiles.all_finite(values) and np.isinf(values).any():
            raise DataError(
                f"Input X contains infinity. {type(self).__name__} takes finite numbers, and NaN for what is missing."
            )
        return self._convert(values)

    def _read_tensor(self, rows: Any, reset: bool) -> Any:
        """Return the rows of all sequences as a tensor on their device; features are recorded or compared."""
        opened: Any = validation.open_source(self, rows, reset=True) if reset else validation.open_rows(self, rows)
        return opened.X.double()

    def _sample_rows(self, bundle: Bundle) -> Any:
        """Return rows for a start: not more than it needs, evenly spaced."""
        step = max(1, -(-len(bundle.X) // SAMPLE_ROWS))
        return bundle.X[::step]
