"""Plans that are proposed to a curator who has data and no plan yet."""
