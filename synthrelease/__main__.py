"""`python -m synthrelease`."""

import sys

if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # the working folder
    from synthrelease.cli import main

    main()
