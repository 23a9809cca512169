"""Typed records of the API's answers, by resource."""
