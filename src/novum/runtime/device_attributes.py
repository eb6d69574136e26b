"""Fitted attributes that lie on a device until somebody reads them, and arrays that are sent to a device once.

A model that was fitted on a device keeps what predictions need there; whoever reads such an attribute gets an array, which is
copied then. Files and copies of the model hold arrays. A model that was fitted in memory sends its arrays when it is first asked
about rows on a device, and again only after another fit.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from novum.exceptions import DataError
from novum.runtime import arrays

__all__ = ["DeviceAttributes"]


def double_there(X: Any, value: Any) -> Any:
    """Return an array in float64 on the device of X."""
    return arrays.like(X, value, "float64")


class DeviceAttributes:
    """Part of an estimator some of whose fitted attributes may be tensors on a device."""

    def _keep_on_device(self, **tensors: Any) -> None:
        """Keep fitted attributes where they are, in place of what an earlier fit left."""
        for name in tensors:
            vars(self).pop(name, None)
        vars(self).pop("_sent", None)
        vars(self)["_there"] = tensors

    def _keep_in_memory(self) -> None:
        """Bring what is on a device into memory, where a method is to change it."""
        for name in vars(self).get("_there", ()):
            getattr(self, name)
        for name in ("_there", "_sent"):
            vars(self).pop(name, None)

    def _forget_device(self) -> None:
        """Drop what an earlier fit left on a device."""
        for name in ("_there", "_sent"):
            vars(self).pop(name, None)

    def _on_device(self, X: Any, *names: str) -> list[Any]:
        """Return fitted attributes in float64 on the device of the tensor X."""
        there: dict[str, Any] = vars(self).get("_there", {})
        return [
            there[name].double() if name in there and there[name].device == X.device else self._sent_once(X, name)
            for name in names
        ]

    def _sent_once(self, X: Any, name: str) -> Any:
        """Return an attribute in float64 on the device of X."""
        value = getattr(self, name)
        if arrays.is_sparse(value):
            raise DataError(
                f"{type(self).__name__} was fitted on sparse rows and answers in the memory of the processor, and X is on a device;"
                " give X.cpu()."
            )
        return self._once_there(X, name, value, double_there)

    def _once_there(self, X: Any, name: str, source: Any, send: Callable[..., Any], *given: Any) -> Any:
        """Return `send(X, source, *given)`, or what it returned for this device if `source` has not been replaced since."""
        sent = vars(self).setdefault("_sent", {})
        known, device, moved = sent.get(name, (None, None, None))
        if known is not source or device != X.device:
            moved = send(X, source, *given)
            sent[name] = (source, X.device, moved)
        return moved

    if not TYPE_CHECKING:  # type checkers know the attributes, and should report others

        def __getattr__(self, name: str) -> Any:
            """Return an attribute that lies on a device as an array: it comes when somebody asks, once."""
            there = vars(self).get("_there", {})
            if name in there:
                vars(self)[name] = arrays.to_numpy(there[name])
                return vars(self)[name]
            return object.__getattribute__(self, name)  # a property says itself why it is not there

    def __getstate__(self) -> Any:
        for name in vars(self).get("_there", ()):
            getattr(self, name)  # a copy or a file holds no tensor
        state: Any = super().__getstate__()
        return {name: value for name, value in state.items() if name not in ("_there", "_sent")}
