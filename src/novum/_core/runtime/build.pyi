"""How the core was built."""



def compiler() -> str:
    """Return the name and version of the compiler."""

def simd_level() -> str:
    """Return the instruction set whose clones run on this processor."""

def sanitized() -> bool:
    """Return whether the core was built with the sanitizers."""
