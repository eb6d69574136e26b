"""Answer Ctrl-C while a library computes that does not look for signals, such as LAPACK."""

import threading
from collections.abc import Callable
from typing import Any

__all__ = ["while_listening"]

LISTEN = 0.05  # seconds between two looks for a signal


def while_listening(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return `function(*arguments)`, computed by a thread beside the main one, which raises KeyboardInterrupt at once.

    The function must let go of Python's lock (NumPy's linear algebra does, SciPy's wrappers of LAPACK do not) and must not
    change its arguments: after Ctrl-C it runs to its end, and nobody takes its result. Elsewhere than in the main thread,
    where no signal arrives, it is called as it is.
    """
    if threading.current_thread() is not threading.main_thread():
        return function(*arguments)
    found: list[Any] = []
    faults: list[BaseException] = []

    def work() -> None:
        try:
            found.append(function(*arguments))
        except BaseException as error:
            faults.append(error)

    thread = threading.Thread(target=work, name="novum beside", daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(LISTEN)
    if faults:
        raise faults[0]
    return found[0]
