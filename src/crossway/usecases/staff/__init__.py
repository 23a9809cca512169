"""Staff: the people who operate an installation, their sessions and the audit log."""
