"""A process that checks bundles and tells each step of its progress."""

from synthrelease.bundle import checker, checking

checking.PROGRESS_INTERVAL_S = 0.0
if __name__ == "__main__":
    checker.serve()
