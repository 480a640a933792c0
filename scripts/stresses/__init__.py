"""What must hold when many processes work at once, or are killed: run by scripts/stress."""
