"""Dropout that draws from the generator of the training it is part of."""

from torch import Tensor, compiler, empty_like, nn
from torch.nn import functional as F

from novum.runtime.torch_generators import generator, lent_generators

__all__ = ["Dropout"]


class Dropout(nn.Dropout):
    """`torch.nn.Dropout`: a value is zero with probability p, else divided by 1 - p; nothing happens outside training."""

    def forward(self, x: Tensor) -> Tensor:
        """Return x with values left out."""
        if not self.training or self.p == 0:
            return x
        if compiler.is_compiling():  # the whole step then draws from the training's generators
            return F.dropout(x, self.p)
        if x.device.type != "cpu":  # a GPU draws and multiplies in one kernel, which takes no generator
            with lent_generators():
                return F.dropout(x, self.p)
        kept = empty_like(x).bernoulli_(1 - self.p, generator=generator(x.device))
        return x * kept.div_(1 - self.p)
