"""The private data as the mechanisms see it: numbered people, screens, series, within public bounds."""
