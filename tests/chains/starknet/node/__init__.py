"""A Starknet node on this machine; runs in an environment of its own, outside the tests'."""
