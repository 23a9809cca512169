"""The chains themselves: what they hold, what is switched off, and the simulated ones' switches."""
