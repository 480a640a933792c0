"""One benchmark a file; `scripts/bench` finds and runs them."""
