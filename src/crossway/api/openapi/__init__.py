"""The OpenAPI document: built from the routes, then completed with what they do not say."""
