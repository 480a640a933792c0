"""Studies on real data; each prints the tables of a page under docs."""
