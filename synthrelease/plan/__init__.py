"""The plan and the policy: TOML files that people write, checked, as frozen values."""
