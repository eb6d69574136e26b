"""A study as a program: the kept model written out with public names, as a script or a notebook."""
