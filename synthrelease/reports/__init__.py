"""Pictures and pages about a release."""
