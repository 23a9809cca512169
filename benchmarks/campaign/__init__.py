"""A long run of mixed work under faults, kills and freezes, checked to the unit at its end."""
