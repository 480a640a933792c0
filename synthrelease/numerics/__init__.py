"""Numpy in, numpy out: the mathematics that knows neither data nor privacy."""
