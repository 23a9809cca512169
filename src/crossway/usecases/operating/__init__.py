"""Running an installation: the shift's numbers, alarms, upkeep and demonstrations."""
