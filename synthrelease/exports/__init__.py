"""A release in the forms that other tools read. Every export says what is promised to each person, never less than the bundle."""
