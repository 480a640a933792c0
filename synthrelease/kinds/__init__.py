"""Kinds of output, one folder each: what it releases, what follows from what, what it claims, and how it is made.

The public half (`public.py`: parameters, datasets, sensitivity, sentences) is all that `verify`, reports and exports import of a kind. The
private half takes people's data and draws noise: `prepare.py` fills in what a plan asks for, a module of each mechanism does the rest.
"""
