"""What an autoencoder and its variational sibling share: codes of rows, rows of codes, and their pictures."""

from typing import Any, Self

import numpy as np

from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from novum.neural_network.generative.plots import plot_codes, plot_pairs
from novum.neural_network.generative.rows import RowNetwork
from novum.neural_network.training.homes import answers_by_block
from novum.runtime.devices import needs_torch
from novum.runtime.typing import Axes, Numbers, Rows, Target

__all__ = ["CodeNetwork"]


class CodeNetwork(ClassNamePrefixFeaturesOutMixin, TransformerMixin, RowNetwork):
    """Networks whose module has `encode` and `decode`."""

    n_components: int

    def _train(self, *arguments: Any, **options: Any) -> Self:
        super()._train(*arguments, **options)
        self._n_features_out = int(self.n_components)
        return self

    @answers_by_block
    def transform(self, X: Rows) -> Any:
        """Return the code of every row (of a variational network its mean), (n_samples, n_components)."""
        return self._answers(X, lambda module, rows: module.encode(rows))

    def inverse_transform(self, Z: Numbers) -> np.ndarray:
        """Return the row that every code stands for (of a variational network its mean), (n_samples, n_features)."""
        return self._from_codes(Z, lambda module, codes: module.decode(codes))

    @answers_by_block
    def reconstruct(self, X: Rows) -> Any:
        """Return every row after the way through its code."""
        return self._answers(X, lambda module, rows: module.decode(module.encode(rows)))

    @answers_by_block
    def reconstruction_error(self, X: Rows) -> Any:
        """Return |x - g(h(x))|^2 of every row: large where a row is unlike those of the fit."""
        return self._answers(
            X, lambda module, rows: (module.decode(module.encode(rows)) - rows).double().square().sum(dim=1)
        )

    def encoder_with_head(self, n_outputs: int) -> Any:
        """Return a new `torch.nn.Module`: the encoder with its weights and a fresh linear layer of so many outputs on top.

        Give it to `TorchClassifier` or `TorchRegressor`, which trains a copy: the head, and the layers below from where they are.
        """
        needs_torch(type(self).__name__)
        check_is_fitted(self)
        from novum.neural_network.generative.heads import EncoderWithHead

        return EncoderWithHead(self.module_, self.config_["sizes"][-1], n_outputs)

    def plot_reconstructions(self, X: Rows, ax: Axes | None = None) -> Any:
        """Draw some rows as images (or as curves) above what the network makes of them; return the axes."""
        return plot_pairs(np.asarray(X), self.reconstruct(X), self.config_["image_shape"], ax)

    def plot_latent(self, X: Rows, y: Target = None, ax: Axes | None = None) -> Any:
        """Draw the first two numbers of the codes, colored by y; return the axes."""
        return plot_codes(self.transform(X), y, ax)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # codes are float32, as the network is
        return tags
