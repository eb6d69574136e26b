r"""All rows of a tensor looked at on its device: bounds by products of matrices, then differences of the few that are left.

With q and r about the mean of the rows, and products that err by at most e |q| |r|,

    (d(q, r)^2 - |q|^2) / 2 = |r|^2 / 2 - q'r  >=  |r|^2 / 2 - fl(q'r) - e |q| |r|                  (1)

Lengths are in units of the longest row. A group of consecutive rows has the least of its lower bounds. The groups of least
bounds are the candidates, and their distances are computed from differences in float64. Where the next group's bound does not
exclude it, the query goes through finer products, and at last through all differences: the neighbors are exact, and of rows at
equal distance the one with the lower number comes first, as in memory. Other norms, and cosines, look at blocks of all distances
in float64.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from novum.engines.search.metrics import Form, form_of, usual_name
from novum.runtime import arrays, devices

__all__ = ["DeviceScan", "on_device"]

GROUP = 32  # rows under one bound: fewer make the table of bounds longer, more the list of candidates
SPARE = 8  # candidates beyond the k groups that must be looked at: bounds are no distances
FEW_COLUMNS = 16  # up to here float32 products cost no more than tf32 ones, whose bounds exclude little among near rows
VALUES = 2**27  # of a block of products or of differences: 1 GB of float64
TINY = 2.0**-110  # what products that underflow may err by, where the longest row has a length of about one
FARTHEST = 1e15  # length of a query in that unit beyond which float32 products may overflow


class Precision(NamedTuple):
    """How products are made, and how much they may err."""

    name: str
    of_operands: float  # two operands, each rounded (tf32: cut off) to so much of itself
    of_sums: float  # every addition

    def relative(self, d: int) -> float:
        """Return e of (1) for d columns, with what norms and differences err by."""
        return self.of_operands + (d + 8) * self.of_sums


TF32 = Precision("tf32", 2.0**-9 * 1.01, 2.0**-21)
FLOAT32 = Precision("float32", 2.0**-22, 2.0**-23)
FLOAT64 = Precision("float64", 2.0**-51, 2.0**-52)


class Level(NamedTuple):
    """Rows about their mean in one precision, made when it is first needed."""

    precision: Precision
    compiled: bool  # whether the kernel of Triton makes the bounds
    rows: Any  # (n, d)
    norms: Any  # (n,)


def on_device(rows: Any, metric: Any, params: dict[str, Any]) -> "DeviceScan | None":
    """Return an index over the rows of a tensor, or None where the metric has no form there."""
    name = usual_name(metric) if isinstance(metric, str) else metric
    if name == "cosine" and not params:
        return DeviceScan(rows, None)
    if name in ("seuclidean", "mahalanobis") and not params and rows.shape[0] > 1:
        wide = rows.double()
        params = {
            "V": arrays.to_numpy(wide.var(dim=0) if name == "seuclidean" else wide.T.cov().reshape(2 * rows.shape[1:]))
        }
    form = form_of(name, params, rows)
    return None if form is None else DeviceScan(rows, form)


def changed(form: Form, X: Any) -> Any:
    """Return A x for every row of a tensor."""
    if form.change is None:
        return X
    A = arrays.like(X, form.change, "float64")
    return X.double() * A if A.ndim == 1 else X.double() @ A.T


def unit_rows(X: Any) -> Any:
    """Return rows of length one in float64; a row of zeros stays, and is at a distance of one from all."""
    wide = X.double()
    length = wide.norm(dim=1, keepdim=True)
    return wide / length.where(length > 0, 1.0)


def plain_bounds(queries: Any, level: Level, query_norms: Any, relative: float, rounding: float) -> Any:
    """Return what the kernel does, (q, groups), by a product of matrices."""
    import torch

    bound = torch.addmm(level.norms * level.norms * (0.5 * (1 - rounding)), queries, level.rows.T, alpha=-1)
    bound -= (relative * query_norms)[:, None] * level.norms
    bound = torch.nn.functional.pad(bound, (0, -level.rows.shape[0] % GROUP), value=float("inf"))
    return bound.view(len(queries), -1, GROUP).amin(dim=2) - TINY


def least(distance: Any, index: Any, k: int) -> tuple[Any, Any, Any]:
    """Return the k least of every row in order, their numbers, and whether others are as near as the last of them."""
    import torch

    values, place = torch.topk(distance, k, dim=1, largest=False, sorted=True)
    crowded = (distance <= values[:, -1:]).sum(1) > k
    return *in_order(values, index.gather(1, place)), crowded


def in_order(values: Any, index: Any) -> tuple[Any, Any]:
    """Return distances and numbers by distance, of equal ones by number."""
    index, order = index.sort(dim=1)
    values, order = values.gather(1, order).sort(dim=1, stable=True)
    return values, index.gather(1, order)


def in_full_order(distance: Any, k: int) -> tuple[Any, Any]:
    """Return the k least of every row whose columns are all rows; of equal ones the first."""
    values, index = distance.sort(dim=1, stable=True)
    return values[:, :k], index[:, :k]


def blocks(n: int, each: int) -> list[slice]:
    """Return slices of n queries, of which each takes so many values."""
    step = max(1, VALUES // max(1, each))
    return [slice(start, min(start + step, n)) for start in range(0, n, step)]


class DeviceScan:
    """All rows are looked at, on the device where they lie; distances and numbers are tensors there."""

    def __init__(self, rows: Any, form: Form | None) -> None:
        self.form = form
        self.rows = unit_rows(rows) if form is None else changed(form, rows)
        self.levels: dict[str, Level] = {}
        self.origin: Any = None  # the mean of the rows
        self.unit: Any = None  # the power of two by which the longest row about it gets a length of about one

    # ------------------------------------------------------------------------------------------------------- distances

    def as_compared(self, X: Any) -> Any:
        """Return queries as the rows are kept: changed, or of length one."""
        return unit_rows(X) if self.form is None else changed(self.form, X)

    def _back(self, distance: Any) -> Any:
        """Return the metric's distances from those of the norm (of its square, where p = 2)."""
        if self.form is None or self.form.p != 2:
            return distance
        return distance if self.form.squared else distance.sqrt()

    def all_distances(self, X: Any) -> Any:
        """Return the distances (p = 2: their squares) of changed queries from all rows, in float64 from differences."""
        import torch

        wide, rows = X.double(), self.rows.double()
        if self.form is None:
            return (1 - wide @ rows.T).clamp(0, 2)
        if self.form.p in (1, float("inf")) and devices.runs_kernels(X):
            from novum.engines.search.device import kernels

            return kernels.absolute_distances(wide, rows, self.form.p != 1)
        if self.form.p != 2:
            return torch.cdist(wide, rows, p=self.form.p)
        out = torch.empty((len(X), len(rows)), dtype=torch.float64, device=X.device)
        for part in blocks(len(X), rows.numel()):
            out[part] = ((wide[part, None] - rows) ** 2).sum(2)
        return out

    # ----------------------------------------------------------------------------------------------------- neighbors

    def nearest(self, X: Any, k: int, threads: int = 1) -> tuple[Any, Any]:
        """Return distances (q, k) in float64 and numbers of the k nearest rows of every query, nearest first."""
        import torch

        X = self.as_compared(X.to(self.rows.device))
        distance = torch.empty((len(X), k), dtype=torch.float64, device=X.device)
        index = torch.empty((len(X), k), dtype=torch.int64, device=X.device)
        left: Any = None  # the queries without an answer; None for all
        if self.form is not None and self.form.p == 2 and len(self.rows) > (k + SPARE + 1) * GROUP:
            for level in self._levels(X):
                queries = X if left is None else X[left]
                found, number, sure = self._by_bounds(level(), queries, k)
                if left is None:
                    distance, index = found, number
                else:
                    distance[left], index[left] = found, number
                unsure = (~sure).nonzero()[:, 0]
                left = unsure if left is None else left[unsure]
                if not len(left):
                    return self._back(distance), index
        queries = X if left is None else X[left]
        for part in blocks(len(queries), len(self.rows)):
            every = self.all_distances(queries[part])
            found, number, crowded = least(every, torch.arange(len(self.rows), device=X.device).expand_as(every), k)
            if bool(crowded.any()):
                found[crowded], number[crowded] = in_full_order(every[crowded], k)
            here = part if left is None else left[part]
            distance[here], index[here] = found, number
        return self._back(distance), index

    def reduced_within(self, X: Any, radius: float, function: Callable[[Any, Any, int], Any]) -> Any:
        """Return `function(distances, whether within, first query)` of blocks of queries and all rows, a row per query."""
        import torch

        X = self.as_compared(X.to(self.rows.device))
        limit = radius**2 if self.form is not None and self.form.p == 2 and not self.form.squared else radius
        parts = []
        for part in blocks(len(X), len(self.rows)):
            every = self.all_distances(X[part])
            parts.append(function(self._back(every), every <= limit, part.start))
        return torch.cat(parts)

    def _levels(self, X: Any) -> list[Callable[[], Level]]:
        """Return the precisions that are tried in turn; the rows of a level are made when it is reached.

        Without the kernel products are float64 from the start: how float32 ones are made is a setting of PyTorch's process.
        """
        if not devices.runs_kernels(X):
            return [lambda: self._level(FLOAT64, False)]
        first = TF32 if X.shape[1] > FEW_COLUMNS else FLOAT32
        return [lambda: self._level(first, True), lambda: self._level(FLOAT64, False)]

    def _level(self, precision: Precision, compiled: bool) -> Level:
        if precision.name not in self.levels:
            import torch

            if self.origin is None:
                self.origin = self.rows.double().mean(dim=0)
            centered = self.rows.double() - self.origin
            norms = centered.norm(dim=1)
            if self.unit is None:
                self.unit = torch.exp2(-norms.max().clamp(min=1e-300).log2().ceil())
            kind = torch.float64 if precision is FLOAT64 else torch.float32
            self.levels[precision.name] = Level(
                precision, compiled, (centered * self.unit).to(kind), (norms * self.unit).to(kind)
            )
        return self.levels[precision.name]

    def _bounds(self, level: Level, X: Any) -> tuple[Any, Any]:
        """Return (1) of every query and group, and the lengths of the queries, in the unit of the bounds."""
        precision = level.precision
        relative, rounding = precision.relative(X.shape[1]), 4 * precision.of_sums
        centered = (X.double() - self.origin) * self.unit
        norms = centered.norm(dim=1)
        queries, lengths = centered.to(level.rows.dtype), norms.to(level.rows.dtype)
        if not level.compiled:
            return plain_bounds(queries, level, lengths, relative, rounding), norms
        from novum.engines.search.device import kernels

        tf32 = precision is TF32
        made = kernels.group_bounds(
            queries,
            rows=level.rows,
            query_norms=lengths,
            row_norms=level.norms,
            relative=relative,
            rounding=rounding,
            tiny=TINY,
            group=GROUP,
            tf32=tf32,
        )
        return made, norms

    def _by_bounds(self, level: Level, X: Any, k: int) -> tuple[Any, Any, Any]:
        """Return squares of distances and numbers of the k nearest by (1), and whether they are sure to be."""
        import torch

        n, d = self.rows.shape
        taken, within_group = k + SPARE, torch.arange(GROUP, device=X.device)
        parts = []
        for outer in blocks(len(X), -(-n // GROUP) if level.compiled else n):
            bounds, norms = self._bounds(level, X[outer])
            low, group = torch.topk(bounds, taken + 1, dim=1, largest=False, sorted=True)
            for inner in blocks(len(bounds), 2 * taken * GROUP * d):
                chosen = group[inner, :taken].sort(dim=1).values
                rows = (chosen[:, :, None] * GROUP + within_group).flatten(1)
                gap = self.rows[rows.clamp(max=n - 1)].double() - X[outer][inner].double()[:, None]
                square = torch.where(rows < n, (gap * gap).sum(2), float("inf"))
                found, number, crowded = least(square, rows, k)
                beyond = low[inner, taken].double() + 0.5 * norms[inner] ** 2
                excluded = (beyond > 0.5 * self.unit**2 * found[:, -1]) & (norms[inner] < FARTHEST)
                parts.append((found, number, excluded & ~crowded))
        found, number, sure = (torch.cat(values) for values in zip(*parts))
        return found, number, sure
