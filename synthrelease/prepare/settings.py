"""What events and windows are: thresholds and lengths, each with what the literature has."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

NS_PER_MS, NS_PER_S = 1e6, 1e9


@dataclass(frozen=True)
class Settings:
    """Thresholds and lengths, none of them taken from data.

    Raises:
        ValueError: one is not finite and above 0.
    """

    # below it an eye is in a fixation, above it in a saccade (I-VT: Salvucci & Goldberg 2000, ETRA; 30 °/s as
    # Olsen 2012 has it for Tobii's filter)
    velocity_deg_per_s: float = 30.0
    # from the first to the last sample of a fixation (100 ms: Salvucci & Goldberg 2000)
    minimum_fixation_ms: float = 100.0
    # likewise of a saccade (6 ms, three samples at 500 Hz: Engbert & Kliegl 2003, Vision Research 43)
    minimum_saccade_ms: float = 6.0
    # amplitude below which a saccade is small: twice the radius of a fixation, as the code of Hoppe et al.
    # 2018 has it (Frontiers in Human Neuroscience 12:105); the radius of 1° is a choice of ours.
    small_saccade_deg: float = 2.0
    window_s: float = 30.0  # length of a window (30 s: Steil et al. 2019).
    step_s: float = 0.5  # from one window to the next (0.5 s: Steil et al. 2019, MPIIDPEye).

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not (math.isfinite(value) and value > 0):
                raise ValueError(f"Expected {field.name}={value} > 0 and finite")
