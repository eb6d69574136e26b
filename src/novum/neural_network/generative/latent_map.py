"""What the codes of an autoencoder with a prior stand for: rows along a line between two codes, and over a grid of the prior."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtri, stdtrit

from novum.base.fitted import check_is_fitted
from novum.exceptions import DataError, ParameterError
from novum.neural_network.generative.counts import check_counts
from novum.neural_network.generative.plots import image_of, tiles
from novum.report.axes import drawing_axes
from novum.runtime.typing import Axes

__all__ = ["STUDENT", "LatentMap"]

STUDENT = 5  # degrees of freedom, as in `densities`, which needs PyTorch to be read
GRID_EDGE = 0.02  # share of the prior outside a latent map, on each side


class LatentMap:
    """Rows that given codes stand for."""

    config_: dict[str, Any]

    if TYPE_CHECKING:  # of the network
        transform: Callable[..., Any]
        inverse_transform: Callable[..., Any]

    def interpolate(self, first: Any, second: Any, n_steps: int = 10) -> np.ndarray:
        """Return the rows along the straight line between the codes of two rows, both ends included."""
        check_counts("VariationalAutoencoder.interpolate", n_steps=n_steps)
        ends = self.transform(np.stack([np.asarray(first), np.asarray(second)]))
        share = np.linspace(0, 1, n_steps, dtype=np.float32)[:, None]
        return self.inverse_transform((1 - share) * ends[0] + share * ends[1])

    def latent_map(self, n_steps: int = 12) -> tuple[np.ndarray, np.ndarray]:
        """Return codes on a grid of quantiles of the prior, (n_steps^2, 2), and the means they stand for; for two components."""
        check_is_fitted(self)
        check_counts("VariationalAutoencoder.latent_map", n_steps=n_steps)
        if self.config_["sizes"][-1] != 2:
            raise ParameterError(
                f"VariationalAutoencoder.latent_map is for codes of two numbers, and these have {self.config_['sizes'][-1]}; use"
                " interpolate."
            )
        share = np.linspace(GRID_EDGE, 1 - GRID_EDGE, n_steps)
        at = (stdtrit(STUDENT, share) if self.config_["prior"] == "student" else ndtri(share)).astype(np.float32)
        codes = np.stack(np.meshgrid(at, at[::-1]), axis=-1).reshape(-1, 2)
        return codes, self.inverse_transform(codes)

    def plot_latent_map(self, n_steps: int = 12, ax: Axes | None = None) -> Any:
        """Draw the images that the codes of a grid stand for; return the axes."""
        ax = drawing_axes(ax)
        images = [image_of(row, self.config_["image_shape"]) for row in self.latent_map(n_steps)[1]]
        if images[0] is None:
            raise DataError(
                "VariationalAutoencoder.plot_latent_map: rows are no images; give image_shape, or use latent_map."
            )
        ax.imshow(tiles([images[k : k + n_steps] for k in range(0, n_steps**2, n_steps)]), cmap="gray_r")  # type: ignore[misc]
        ax.set(xticks=[], yticks=[], xlabel="code 1", ylabel="code 2")
        return ax
