"""Parameters of `fit` that belong to the splitter or the scorer of a cross-validated estimator: scikit-learn's metadata routing."""

from typing import Any

from sklearn import get_config
from sklearn.model_selection import BaseCrossValidator, check_cv
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from novum.base.domains import ArrayLike, Domain, Instance, Int, Null
from novum.exceptions import ParameterError

__all__ = ["FOLDS", "SplitterRouting", "routing_enabled"]


def gives_splits(value: Any) -> bool:
    """Return whether a value is a splitter or yields pairs of train and test rows."""
    return (hasattr(value, "split") and not isinstance(value, str)) or hasattr(value, "__next__")


FOLDS: Domain = Int(2) | Null() | ArrayLike(1) | Instance(BaseCrossValidator, gives_splits)


def routing_enabled() -> bool:
    """Return whether the user has turned metadata routing on."""
    return bool(get_config().get("enable_metadata_routing", False))


class SplitterRouting:
    """Hands extra parameters of `fit` to the splitter."""

    cv: Any

    def _routed(self, params: dict, **own: Any) -> Any:
        """Return what goes where, or None without routing; then extra parameters are an error."""
        if routing_enabled():
            return process_routing(self, "fit", **own, **params)
        if params:
            raise ParameterError(
                f"Passing extra keyword arguments to {type(self).__name__}.fit(sample_weight, ...) is only supported if"
                f" enable_metadata_routing=True, which you can set using `sklearn.set_config`. Extra parameters passed are:"
                f" {set(params)}"
            )
        return None

    def get_metadata_routing(self) -> MetadataRouter:
        """Return who takes which extra parameter."""
        router = MetadataRouter(owner=self).add_self_request(self)
        return router.add(splitter=check_cv(self.cv), method_mapping=MethodMapping().add(caller="fit", callee="split"))
