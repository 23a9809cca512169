"""SQL that both storage and what is simulated need: they never import each other."""
