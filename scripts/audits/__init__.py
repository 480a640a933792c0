"""The long runs of the statistical audit, whose code is that of the tests."""
