"""What pages are drawn with, one noun a module."""
