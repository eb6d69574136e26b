"""A kept model behind HTTP: an ASGI application of its own, with a description of what it takes and a page to try it."""
