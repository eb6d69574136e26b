"""What samplers share: parameters that are stored as given and checked when draws are made."""

from typing import Any

from novum.base.domains import check
from novum.base.estimator import Estimator
from novum.sampling.chains import Chains

__all__ = ["Sampler"]


class Sampler(Estimator):
    """Base of samplers: estimators without `fit`, whose draws are `sample(n_samples)`.

    The density is code, so that `clone` and `set_params` work but `novum.save` refuses: save the `Chains`.
    """

    interrupted_: Chains

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.no_validation = True
        tags.requires_fit = False
        return tags

    def _concluded(self, chains: Chains, stopped: BaseException | None, check: bool) -> Chains:
        """Return the chains after a look at them; an interrupt goes on to the caller, and what was drawn is kept."""
        if stopped is not None:
            if len(chains):
                self.interrupted_ = chains
            raise stopped
        if check:
            chains.complain()
        return chains

    def _check_parameters(self) -> None:
        """Raise where a parameter is outside its domain."""
        check(self._domains, self.get_params(deep=False), type(self).__name__)
