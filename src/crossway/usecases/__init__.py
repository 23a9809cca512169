"""Use cases: plain functions of the services and of the principal that calls them."""
