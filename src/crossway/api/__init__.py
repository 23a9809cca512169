"""The REST API: the wire's names, shapes and limits around the use cases."""
