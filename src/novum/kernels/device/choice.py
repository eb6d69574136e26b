"""The kernel that was requested of a machine (`novum.kernels.choice`), over rows on a device."""

from collections.abc import Callable
from typing import Any, NamedTuple

from novum.exceptions import DataError
from novum.kernels.choice import KernelChoice
from novum.kernels.device.program import DeviceKernel, device_kernel, refuse_kernel
from novum.kernels.products import Linear
from novum.runtime import arrays

__all__ = ["DeviceChoice", "device_choice"]

NAMES = "linear, poly of whole degree, rbf, laplacian, sigmoid, cosine and precomputed"


class DeviceChoice(NamedTuple):
    """A kernel and how rows are given to it, in float64."""

    kernel: DeviceKernel | None  # None: rows are rows of a kernel matrix
    unit: bool  # whether rows are divided by their lengths before ("cosine")

    def rows(self, X: Any) -> Any:
        """Return rows as the kernel compares them."""
        X = X.double()
        if not self.unit:
            return X
        size = X.norm(dim=1, keepdim=True)
        return X / size.masked_fill(size == 0, 1.0)

    def gram(self, X: Any) -> Any:
        """Return the kernel of all rows, a matrix that may be overwritten."""
        return X.double().clone() if self.kernel is None else self.kernel.gram(self.rows(X))

    def between(self, X: Any, Z: Any) -> Any:
        """Return the kernel of every row of X with every row of Z; of rows of a kernel matrix these."""
        return X.double() if self.kernel is None else self.kernel.between(self.rows(X), self.rows(Z))

    def times(self, X: Any, Z: Any, V: Any) -> Any:
        """Return the sums of kernels with the rows of Z, times V, for every row of X."""
        return X.double() @ V if self.kernel is None else self.kernel.times(self.rows(X), self.rows(Z), V)

    def of_blocks(self, function: Callable[[Any], Any], X: Any, Z: Any) -> Any:
        """Return `function(kernels)` of blocks of rows of X with all rows of Z, one below the other."""
        if self.kernel is None:
            return function(X.double())
        others = self.rows(Z)
        parts = self.kernel.portions(X.shape[0], others.shape[0])
        return arrays.stack_rows([function(self.kernel.between(self.rows(X[part]), others)) for part in parts])


def device_choice(choice: KernelChoice, n_features: int) -> DeviceChoice:
    """Return the form of a kernel for rows on a device; raise where it has none."""
    if choice.is_matrix:
        return DeviceChoice(None, False)
    named = isinstance(choice.kernel, str)
    unit = named and choice.kernel == "cosine"
    known = Linear() if named and choice.kernel in ("linear", "cosine") else choice.compiled(n_features)
    found = None if known is None else device_kernel(known, n_features)
    if found is not None:
        return DeviceChoice(found, unit)
    if not named:
        raise refuse_kernel(choice.owner, choice.kernel)
    raise DataError(
        f"{choice.owner}: kernel={choice.kernel!r} is computed in memory alone; of rows on a device these names are: {NAMES}."
        " Give X.cpu(), or one of them."
    )
