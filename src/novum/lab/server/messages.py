"""How the server and its workers talk: a kind of one letter, the length, then bytes."""

from struct import Struct

__all__ = ["ANSWER", "DONE", "EVENT", "HEADER", "READY", "packed"]

HEADER = Struct(">cI")
READY, EVENT, ANSWER, DONE = b"R", b"E", b"A", b"D"


def packed(kind: bytes, content: bytes = b"") -> bytes:
    """Return a message as it goes through the pipe."""
    return HEADER.pack(kind, len(content)) + content
