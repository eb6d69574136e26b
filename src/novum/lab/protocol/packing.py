"""Text as an address or a page holds it: deflated (RFC 1951), then base64 for addresses (RFC 4648) without its final signs."""

from base64 import urlsafe_b64encode
from zlib import compressobj

__all__ = ["packed"]


def packed(text: str) -> str:
    """Return a text as the page unpacks it."""
    packer = compressobj(9, wbits=-15)
    return urlsafe_b64encode(packer.compress(text.encode()) + packer.flush()).decode().rstrip("=")
