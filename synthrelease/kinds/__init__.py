"""Kinds of output: what each releases, what follows from what, what it claims and how it is made.

A kind is one folder, a mechanism one module in it. Public halves (parameters, datasets, sensitivity, sentences) are all that `verify`, `report`,
`export` and `diff` import; private halves take people's data and draw noise.
"""
