"""The services of the simulated bridges, and where these reach."""
