"""How `scripts/test` makes its environment, chooses tests, and says how they went."""
