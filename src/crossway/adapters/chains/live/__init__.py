"""What live chains of every family share: profiles, keys, nodes, and how they are opened."""
