"""Mail servers."""
