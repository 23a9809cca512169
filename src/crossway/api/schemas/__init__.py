"""The wire's names: a model for the documentation and a plain rendering for each resource."""
