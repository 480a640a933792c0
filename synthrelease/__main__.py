"""`python -m synthrelease`."""

from synthrelease.cli import main

if __name__ == "__main__":
    main()
