"""What OpenDP, dp-accounting and autodp say of the same mechanisms: for tests/witnesses."""
