"""How the core was built."""



def compiler() -> str:
    """Return the name and version of the compiler."""

def simd_level() -> str:
    """Return the instruction level whose kernels run on this processor."""

def levels() -> list[str]:
    """Return the instruction levels that were compiled."""

def simd_bytes() -> int:
    """
    Return the bytes of the vectors of kernels that block registers by hand.
    """

def sanitized() -> bool:
    """Return whether the core was built with the sanitizers."""
