"""A Starknet node on this machine; runs in an environment of its own, outside the tests'."""

# First of all, or nothing of cairo-lang can be imported.
import node.py311  # noqa: F401
