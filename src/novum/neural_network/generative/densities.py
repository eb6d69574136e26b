r"""The network of a `VariationalAutoencoder`, and the pieces of its bound.

    q(z | x) = N(mu(x), diag s^2(x)),   z = mu + s * e,   e ~ N(0, I)                                             (1)
    KL(q(z | x) || N(0, I)) = 1/2 sum_k (mu_k^2 + s_k^2 - 1 - log s_k^2)                                          (2)
    Gaussian   log p(x | z) = -1/2 sum_j [log(2 pi v_j) + (x_j - m_j(z))^2 / v_j]                                  (3)
    Bernoulli  log p(x | z) = sum_j [x_j l_j(z) - log(1 + exp l_j(z))]                                             (4)
    log p(x) ~ log 1/K sum_k p(x | z_k) p(z_k) / q(z_k | x),   z_k ~ q(z | x)                                      (5)

With a prior of Student's t in every component, whose heavy tails single components out (non-linear ICA), the divergence has no
formula: E_q[log q] has one, and log p(z) is taken at the draw,

    KL ~ -1/2 sum_k (1 + log 2 pi + log s_k^2) - log p(z),   z of (1)                                              (6)

(5) is a lower bound in the mean for every K, and rises to log p(x) (Burda, Grosse and Salakhutdinov 2016). m and v are in the units
of X: the decoder speaks of scaled rows, and v is the square of scale times a learned number.
"""

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from novum.neural_network.generative.layers import Scaled, make_decoder, make_encoder

__all__ = ["FREEDOM", "DensityNet", "divergence_from_prior", "log_normal", "log_standard_normal", "log_student"]

SMALLEST_LOG_VARIANCE = -10.0  # of scaled rows: a column that codes explain exactly would drive the bound to infinity
LARGEST_LOG_VARIANCE = 10.0  # of codes: exp stays finite in float32 whatever the encoder says
FREEDOM = 5  # degrees of freedom of the other prior: heavy tails with a finite fourth moment
LOG_TWO_PI = math.log(2 * math.pi)


def full(x: Any) -> Any:
    """Return what layers gave in bfloat16 in full precision: sums over columns need it."""
    return x.float() if x.dtype == torch.bfloat16 else x


def divergence_from_prior(mean: Any, log_variance: Any) -> Any:
    """Return (2) of every row."""
    return 0.5 * (mean.square() + log_variance.exp() - 1 - log_variance).sum(dim=-1)


def log_normal(x: Any, mean: Any, log_variance: Any) -> Any:
    """Return the log density of independent Gaussians, (3), of every row."""
    return -0.5 * (LOG_TWO_PI + log_variance + (x - mean).square() * torch.exp(-log_variance)).sum(dim=-1)


def log_standard_normal(z: Any) -> Any:
    """Return the log density of N(0, I) of every row."""
    return -0.5 * (LOG_TWO_PI + z.square()).sum(dim=-1)


def log_student(z: Any) -> Any:
    """Return the log density of independent Student's t with `FREEDOM` degrees of freedom of every row."""
    constant = math.lgamma((FREEDOM + 1) / 2) - math.lgamma(FREEDOM / 2) - 0.5 * math.log(FREEDOM * math.pi)
    return (constant - (FREEDOM + 1) / 2 * torch.log1p(z.square() / FREEDOM)).sum(dim=-1)


class DensityNet(Scaled):
    """Encoder to mean and log variance of a code, decoder to the parameters of a row."""

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__(config)
        self.encoder, self.decoder = make_encoder(config, width=2), make_decoder(config)
        self.bernoulli = config["likelihood"] == "bernoulli"
        self.student = config["prior"] == "student"
        if not self.bernoulli:
            self.log_noise = nn.Parameter(torch.zeros(len(config["mean"])))

    def encode(self, x: Any) -> Any:
        """Return the means of the codes of rows."""
        return self.posterior(x)[0]

    def posterior(self, x: Any) -> tuple[Any, Any]:
        """Return means and log variances of q(z | x)."""
        mean, log_variance = full(self.encoder(self.scaled(x))).chunk(2, dim=-1)
        return mean, log_variance.clamp(-LARGEST_LOG_VARIANCE, LARGEST_LOG_VARIANCE)

    def draw(self, mean: Any, log_variance: Any, noise: Any) -> Any:
        """Return (1)."""
        return mean + (0.5 * log_variance).exp() * noise

    def log_variance(self) -> Any:
        """Return log v of (3), in the units of X."""
        return self.log_noise.clamp(min=SMALLEST_LOG_VARIANCE) + 2 * self.scale.log()

    def decode(self, z: Any) -> Any:
        """Return the means of the rows that codes stand for."""
        out = full(self.decoder(z))
        return torch.sigmoid(out) if self.bernoulli else self.unscaled(out)

    def log_likelihood(self, x: Any, z: Any) -> Any:
        """Return (3) or (4) of every row."""
        out = full(self.decoder(z))
        if self.bernoulli:
            return (x * out - F.softplus(out)).sum(dim=-1)
        noise = self.log_noise.clamp(min=SMALLEST_LOG_VARIANCE)  # of scaled rows: squares of X itself might overflow
        return log_normal(self.scaled(x), out, noise) - self.scale.log().sum()

    def forward(self, x: Any) -> Any:
        """Return rows after the way through the means of their codes."""
        return self.decode(self.encode(x))

    def parts(self, x: Any, noise: Any) -> tuple[Any, Any]:
        """Return log p(x | z) at a draw of z, and (2) or (6), of every row: their difference is the bound."""
        mean, log_variance = self.posterior(x)
        z = self.draw(mean, log_variance, noise)
        if self.student:
            apart = -0.5 * (1 + LOG_TWO_PI + log_variance).sum(dim=-1) - log_student(z)
        else:
            apart = divergence_from_prior(mean, log_variance)
        return self.log_likelihood(x, z), apart

    def importance_weighted(self, x: Any, noise: Any) -> Any:
        """Return (5) of every row; `noise` has the shape (K, rows, components)."""
        mean, log_variance = self.posterior(x)
        z = self.draw(mean, log_variance, noise)
        flat = z.flatten(0, 1)
        seen = self.log_likelihood(x.repeat(len(noise), 1), flat).view(len(noise), len(x))
        prior = log_student(z) if self.student else log_standard_normal(z)
        log_weight = seen + prior - log_normal(z, mean, log_variance)
        return torch.logsumexp(log_weight.double(), dim=0) - math.log(len(noise))
