"""Every mechanism in every variant behind one face, and the people who attack it: for tests/contract."""
