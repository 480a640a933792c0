"""A release in the forms that other tools read. Every export states the guarantee to each person, never less than the bundle."""
