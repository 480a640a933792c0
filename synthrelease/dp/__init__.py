"""Guarantees, events, calibration and accounting: everything about privacy that needs no data (`accounting.proof.md`, `filter.proof.md`)."""
