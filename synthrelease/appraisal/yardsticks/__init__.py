"""What releases are held against, by kind of output."""
