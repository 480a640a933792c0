"""The statistical audit: bounds from below on what a release gives away, faults planted in the package, and who finds them."""
