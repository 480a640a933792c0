"""Exact integer noise, exact choices, and the only source of randomness.

>>> from synthrelease.dp.noise import SecureRandom, rounded_gaussian
>>> rounded_gaussian(3.0, (2, 5), random=SecureRandom()).shape
(2, 5)
"""

from synthrelease.dp.noise.choice import private_choice
from synthrelease.dp.noise.entropy import SecureRandom
from synthrelease.dp.noise.rounded import discrete_laplace, rounded_gaussian

__all__ = ["SecureRandom", "discrete_laplace", "private_choice", "rounded_gaussian"]
