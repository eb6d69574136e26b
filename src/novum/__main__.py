"""`python -m novum`: the command `novum`, for where scripts are not on the path."""

from novum.cli import main

if __name__ == "__main__":
    main()
