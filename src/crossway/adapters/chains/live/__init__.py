"""What live chains of every family share: profiles, keys, nodes, and what must be agreed on."""
