"""Kinds of output: what each releases, what follows from what, and what it claims.

Here are their public halves (parameters, datasets, sensitivity), which are all that `verify` imports of a kind. What takes people's data and
draws noise is in `mechanisms` and `outputs`.
"""
