r"""Whether chains have mixed and what their averages are worth (Vehtari, Gelman, Simpson, Carpenter and Buerkner 2021).

With m chains of n draws, each cut into halves, the numbers x replaced by z below where it says rank-normalised:

    z = Phi^-1((rank - 3/8)/(m n + 1/4))                                                     rank-normalised            (1)
    B = n var(chain means),  W = mean of the chains' variances
    R = sqrt(((n - 1)/n W + B/n)/W)                                                          split R-hat                (2)
    R-hat = max(R of z(x), R of z(|x - median|))                                                                        (3)
    rho_t = 1 - (W - mean over chains of the autocovariance at lag t)/(W (n - 1)/n + B/n)
    tau = -1 + 2 sum_k P_k + rho_2K,   P_k = min over j <= k of rho_2j + rho_2j+1 while it is positive    (Geyer 1992)  (4)
    ESS = m n/max(tau, 1/log10(m n));   bulk: of z;   tail: the smaller of 1[x <= q_.05], 1[x <= q_.95]                 (5)
    MCSE = sd/sqrt(ESS of x);   of the sd: sqrt(var(x^2)/ESS(x^2)/(4 mean x^2)), x centred                              (6)
    E-BFMI = sum (E_t - E_t-1)^2 / sum (E_t - mean E)^2                                      (Betancourt 2016)          (7)
"""

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import ndtri

__all__ = [
    "energy_fraction",
    "ess_bulk",
    "ess_mean",
    "ess_quantile",
    "ess_tail",
    "mcse_mean",
    "mcse_quantile",
    "mcse_sd",
    "mixing",
    "r_hat",
]

Draws = NDArray[np.float64]  # (chains, draws) of one quantity
LEAST_DRAWS = 4  # per chain: two in each half
TAIL = 0.05
ONE_SIGMA = (0.1586553, 0.8413447)  # probabilities of a standard normal at -1 and 1


def split(x: Draws) -> Draws:
    """Return the halves of every chain; the middle draw of an odd number is left out."""
    half = x.shape[1] // 2
    return np.concatenate([x[:, :half], x[:, -half:]])


def rank_normalized(x: Draws) -> Draws:
    """Return (1); equal numbers share their mean rank."""
    order = np.argsort(x, axis=None)
    ordered = x.ravel()[order]
    first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))  # of every group of equal numbers
    counts = np.diff(first, append=x.size)
    z = ndtri((first + (counts + 1) / 2 - 0.375) / (x.size + 0.25))
    out = np.empty(x.size)
    out[order] = np.repeat(z, counts)
    return out.reshape(x.shape)


def plain_r_hat(x: Draws) -> float:
    """Return (2) of chains that are cut already."""
    n = x.shape[1]
    between, within = n * np.var(x.mean(axis=1), ddof=1), np.mean(np.var(x, axis=1, ddof=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.sqrt((between / within + n - 1) / n))


def autocovariance(x: Draws) -> Draws:
    """Return the autocovariance of every chain at all lags, by a Fourier transform."""
    n = x.shape[1]
    length = next_fast_len(2 * n, real=True)
    wave = rfft(x - x.mean(axis=1, keepdims=True), n=length, axis=1)
    return irfft(np.abs(wave) ** 2, n=length, axis=1)[:, :n] / n


def effective_size(x: Draws) -> float:
    """Return (4) and (5) of chains that are cut already."""
    chains, n = x.shape
    if np.ptp(x) < np.finfo(float).resolution:
        return float(x.size)
    covariance = autocovariance(x).mean(axis=0)  # by lag
    within = covariance[0] * n / (n - 1)
    total = covariance[0] + (np.var(x.mean(axis=1), ddof=1) if chains > 1 else 0.0)
    rho = 1 - (within - covariance) / total
    rho[0] = 1
    last = max(0, -(-(n - 4) // 2))  # the last pair that is looked at
    pairs = rho[0 : 2 * last + 2 : 2] + rho[1 : 2 * last + 2 : 2]
    falls = np.flatnonzero(pairs <= 0)
    K = int(falls[0]) if falls.size else last
    edge = rho[2 * K] if pairs[K] >= 0 or rho[2 * K] > 0 else 0.0
    tau = -1 + 2 * np.minimum.accumulate(pairs[:K]).sum() + edge
    return float(x.size / max(tau, 1 / np.log10(x.size)))


def usable(x: Draws) -> bool:
    """Return whether diagnostics exist: enough draws, all finite."""
    return x.shape[1] >= LEAST_DRAWS and bool(np.isfinite(x).all())


def mixing(x: Draws) -> tuple[float, float]:
    """Return (3) and the bulk's (5), which share the ranks."""
    if not usable(x):
        return float("nan"), float("nan")
    z = rank_normalized(split(x))
    folded = split(np.abs(x - np.median(split(x))))
    return max(plain_r_hat(z), plain_r_hat(rank_normalized(folded))), effective_size(z)


def r_hat(x: Draws) -> float:
    """Return (3); near one where the chains, and the halves of each, agree."""
    return mixing(x)[0]


def ess_bulk(x: Draws) -> float:
    """Return (5) of the ranks: how many independent draws the middle of the distribution is worth."""
    return mixing(x)[1]


def ess_quantile(x: Draws, probability: float) -> float:
    """Return (5) of the indicator below a quantile."""
    if not usable(x):
        return float("nan")
    return effective_size(split((x <= np.quantile(x, probability)).astype(np.float64)))


def ess_tail(x: Draws) -> float:
    """Return (5) of the tails."""
    return min(ess_quantile(x, TAIL), ess_quantile(x, 1 - TAIL))


def ess_mean(x: Draws) -> float:
    """Return (5) of the numbers themselves."""
    return effective_size(split(x)) if usable(x) else float("nan")


def mcse_mean(x: Draws) -> float:
    """Return the error (6) of the mean."""
    return float(np.std(x, ddof=1) / np.sqrt(ess_mean(x)))


def mcse_sd(x: Draws) -> float:
    """Return the error (6) of the standard deviation."""
    square = (x - x.mean()) ** 2
    variance = square.mean()
    if not variance > 0:
        return 0.0 if variance == 0 else float("nan")
    return float(np.sqrt(((square**2).mean() - variance**2) / ess_mean(square) / variance / 4))


def mcse_quantile(x: Draws, probability: float) -> float:
    """Return the error of a quantile: half the distance of the order statistics one sigma to each side."""
    if not usable(x):
        return float("nan")
    from scipy.stats import beta

    size = ess_quantile(x, probability)
    low, high = beta.ppf(ONE_SIGMA, size * probability + 1, size * (1 - probability) + 1) * x.size - 1
    ordered = np.sort(x, axis=None)
    return float(ordered[int(np.ceil(min(high, x.size - 1)))] - ordered[int(np.floor(max(low, 0)))]) / 2


def energy_fraction(energy: Draws) -> NDArray[np.float64]:
    """Return (7) of every chain: below 0.3 the momentum is drawn too narrowly for the energies there are."""
    centered = energy - energy.mean(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.square(np.diff(energy, axis=1)).sum(axis=1) / np.square(centered).sum(axis=1)
