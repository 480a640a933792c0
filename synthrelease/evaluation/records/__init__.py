"""What an evaluation says of synthetic records."""
