"""Scripts are run by test_scripts.py, not collected."""

collect_ignore = ["scripts"]
