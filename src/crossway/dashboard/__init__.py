"""The operator's dashboard: what its pages ask for and what they are drawn with."""
