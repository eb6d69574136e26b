"""The two files of uses are read by type checkers and never imported."""

collect_ignore = ["right.py", "wrong.py"]
