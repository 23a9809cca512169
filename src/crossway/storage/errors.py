"""Errors by which the parts of storage tell one another what happened."""


class ConcurrentUpdate(RuntimeError):
    """A row changed between read and write; the unit of work is rolled back and tried again."""
