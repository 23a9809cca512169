"""The installation's people: who they are, how they sign in, and what they changed."""
