"""What a page of the lab makes of an answer."""

from base64 import b64decode

import numpy as np


def array(answer, name):
    """Return an array of an answer as the page unpacks it."""
    found = answer["arrays"][name]
    if found["t"] == "json":
        return found["v"]
    return np.frombuffer(b64decode(found["b"]), dtype=f"<{found['t']}").reshape(found["s"])
