"""What Crossway remembers, in SQLite or PostgreSQL through SQLAlchemy Core."""
