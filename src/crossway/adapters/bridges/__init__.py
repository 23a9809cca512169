"""Models of four bridges, priced from their public fee schedules in data files."""
