"""From a plan to a verified bundle."""
