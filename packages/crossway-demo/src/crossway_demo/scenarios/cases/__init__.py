"""The scenarios themselves, one function each."""
