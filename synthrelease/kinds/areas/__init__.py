"""Areas of interest: shares of looking, and of moves between areas."""
