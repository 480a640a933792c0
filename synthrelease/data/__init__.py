"""The private data as the mechanisms see it: numbered participants, screens, series, within public bounds."""
