r"""Slopes and losses of boosting on a device: (1), (5) to (9) of cpp/include/novum/trees/boosting.h by PyTorch, in float64.

The squared loss has the bits of the compiled kernels; exponentials are those of the device and may differ in the last one. Sums
are exact (novum.engines.moments.exact_sums): mantissas are whole numbers, added up for every exponent.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.engines.moments.exact_sums import exact_limbs
from novum.ensemble.boosting.slopes import KERNELS, Descent
from novum.runtime import arrays

__all__ = ["WITH_FORM", "device_limbs", "loss_limbs", "rounded", "slopes_of_rows"]

WITH_FORM = ("squared_error", "poisson", "gamma", "log_loss")
FRACTION = 2.0**30  # units of the largest slope
HALF_BITS = 26  # mantissas are added up in two halves, which leaves room for 2^36 rows


def device_limbs(values: Any) -> NDArray:
    """Return the exact sum of float64 values of a device."""
    import torch

    if not values.numel():
        return exact_limbs(np.empty(0))
    mantissa, exponent = torch.frexp(values)
    whole, exponent = (mantissa * 2.0**53).long(), exponent.long()
    low, high = (int(bound) for bound in arrays.to_numpy(torch.stack([exponent.min(), exponent.max()])))
    upper = whole >> HALF_BITS
    sums = torch.zeros((high - low + 1, 2), dtype=torch.int64, device=values.device)
    sums.index_add_(0, exponent - low, torch.stack([upper, whole - (upper << HALF_BITS)], dim=1))
    terms = []
    for number, halves in enumerate(arrays.to_numpy(sums).tolist()):
        for half, scale in zip(halves, (HALF_BITS, 0)):
            least = number + low - 53 + scale
            terms += [np.ldexp(float(half >> 30), least + 30), np.ldexp(float(half & (2**30 - 1)), least)]
    return exact_limbs(np.array(terms))


def slopes_of_rows(descent: Descent, target: Any, raw: Any) -> tuple[list[tuple[Any, Any]], NDArray]:
    """Return gradients and curvatures of every output as float32 before they are rounded, and the largest of each."""
    import torch

    name = KERNELS[descent.kernel]
    found = []
    if descent.outputs > 1:
        shares = torch.softmax(raw, dim=0)
        for k, p in enumerate(shares):
            found.append((p - (target == k).double(), p * (1 - p)))
    elif name == "squared_error":
        found.append((raw[0] - target, torch.ones_like(target)))
    elif name == "log_loss":
        e = torch.exp(-raw[0].abs())
        inverse = 1 / (1 + e)
        found.append((torch.where(raw[0] > 0, inverse, e * inverse) - target, e * inverse * inverse))
    elif name == "poisson":
        e = torch.exp(raw[0])
        found.append((e - target, e))
    else:
        e = target * torch.exp(-raw[0])
        found.append((1 - e, e))
    single = [(g.float(), h.float()) for g, h in found]
    most = torch.stack([part.abs().max() if len(part) else part.sum() for pair in single for part in pair])
    return single, arrays.to_numpy(most.double()).reshape(-1, 2)


def rounded(slopes: tuple[Any, Any], weight: Any, integral: bool, units: tuple[float, float]) -> tuple[Any, Any]:
    """Return (9): gradients and curvatures as int32."""
    import torch

    out = []
    for values, unit in zip(slopes, units):
        x = values.double() * (1 / unit)
        x = x if weight is None or integral else x * weight
        x = x.nan_to_num(nan=FRACTION).clamp(-FRACTION, FRACTION).round()
        out.append((x if weight is None or not integral else (x * weight).round()).to(torch.int32))
    return out[0], out[1]


def loss_limbs(descent: Descent, target: Any, raw: Any, weight: Any) -> NDArray:
    """Return the exact sum of the losses of raw scores (outputs, n)."""
    import torch

    name = KERNELS[descent.kernel]
    if descent.outputs > 1:
        own = raw.gather(0, target.long()[None])[0]
        loss = torch.logsumexp(raw, dim=0) - own
    elif name == "squared_error":
        gap = raw[0] - target
        loss = gap * gap / 2
    elif name == "log_loss":
        loss = torch.log1p(torch.exp(-raw[0].abs())) + torch.where(raw[0] > 0, 1 - target, -target) * raw[0]
    elif name == "poisson":
        loss = torch.exp(raw[0]) - torch.where(target == 0, 0.0, target * raw[0])
    else:
        loss = target * torch.exp(-raw[0]) + raw[0]
    loss = loss if weight is None else weight * loss
    return device_limbs(loss.nan_to_num())
