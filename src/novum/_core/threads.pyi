"""Forks and loaded libraries."""



def forked() -> bool:
    """Return whether this process was forked after the core was loaded."""

def library_changes() -> int:
    """
    Return a number that changes whenever a shared library is loaded or unloaded.
    """
