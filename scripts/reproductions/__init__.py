"""The figures and tables of published papers, made again with the product's own functions."""
