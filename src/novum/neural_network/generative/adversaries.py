r"""The network of a `GAN` and what its two halves play for. D(x) is a score, G(z) a row.

    non-saturating  D: -(1 - a) log s(D(x)) - a log s(-D(x)) - log s(-D(G(z))),     G: -log s(D(G(z)))            (1)
    hinge           D: max(0, 1 - D(x)) + max(0, 1 + D(G(z))),                      G: -D(G(z))                   (2)
    Wasserstein     D: D(G(z)) - D(x),                                              G: -D(G(z))                   (3)

s is the sigmoid and a the smoothing of labels. The slope of D is held small by a penalty: at real rows for (1) and (2), and between
real and made rows for (3), where the best D has slope 1:

    R(x) = c/2 |dD/dx|^2,        or    R(x') = c (|dD/dx'| - 1)^2,   x' = u x + (1 - u) G(z)                      (4)

How far two sets of rows are from each other, without any D, is the energy distance (0 for equal distributions, else positive):

    2 E|x - y| - E|x - x'| - E|y - y'|                                                                             (5)
"""

from typing import Any

import torch
import torch.nn.functional as F

from novum.neural_network.generative.layers import Scaled, make_decoder, make_encoder
from novum.runtime.torch_generators import generator

__all__ = [
    "Adversaries",
    "discriminator_loss",
    "energy_distance",
    "generator_loss",
    "slope_at_rows",
    "slope_between",
]


class Adversaries(Scaled):
    """Generator from noise to scaled rows, discriminator from scaled rows to a score."""

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__(config)
        self.generator = make_decoder(config)
        judge = {
            **config,
            "sizes": [config["sizes"][0], *config["discriminator_hidden"], 1],
            "activation": "leaky_relu",
        }
        self.discriminator = make_encoder(judge, spectral=config["spectral_norm"])

    def make(self, z: Any) -> Any:
        """Return rows in the units of X."""
        return self.unscaled(self.generator(z))

    def forward(self, z: Any) -> Any:
        """Return the rows that noise becomes."""
        return self.make(z)

    def judge(self, scaled: Any) -> Any:
        """Return the score of scaled rows."""
        return self.discriminator(scaled)[:, 0]


def discriminator_loss(kind: str, real: Any, made: Any, smoothing: float) -> tuple[Any, Any]:
    """Return the loss of the discriminator, of every real and of every made row, by (1), (2) or (3)."""
    if kind == "hinge":
        return F.relu(1 - real), F.relu(1 + made)
    if kind == "wasserstein":
        return -real, made
    return (1 - smoothing) * F.softplus(-real) + smoothing * F.softplus(real), F.softplus(made)


def generator_loss(kind: str, made: Any) -> Any:
    """Return the loss of the generator, of every made row."""
    return F.softplus(-made) if kind == "non-saturating" else -made


def slope_at_rows(score: Any, rows: Any) -> Any:
    """Return the first penalty of (4) with c = 1, the mean over rows, from scores that were computed of these rows."""
    (slope,) = torch.autograd.grad(score.sum(), rows, create_graph=True)
    return 0.5 * slope.square().sum(dim=1).mean()


def slope_between(judge: Any, real: Any, made: Any) -> Any:
    """Return the second penalty of (4) with c = 1, the mean over rows between real and made ones."""
    share = torch.rand(len(real), 1, device=real.device, generator=generator(real.device))
    at = (share * real + (1 - share) * made).requires_grad_(True)
    (slope,) = torch.autograd.grad(judge(at).sum(), at, create_graph=True)
    return (slope.norm(dim=1) - 1).square().mean()


def energy_distance(x: Any, y: Any, weight: Any = None) -> Any:
    """Return (5) of two sets of rows; pairs of a row with itself are left out. `weight` is that of x."""
    w = x.new_full((len(x),), 1 / len(x)) if weight is None else weight / weight.sum()
    across = (w @ torch.cdist(x, y)).mean()
    own = 1 - w.square().sum()
    inside = (w @ torch.cdist(x, x) @ w) / own if float(own) > 0 else across.new_zeros(())
    made = torch.cdist(y, y).sum() / max(len(y) * (len(y) - 1), 1)
    return 2 * across - inside - made
