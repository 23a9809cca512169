"""The temporary PostgreSQL that other tests use."""

import psycopg


def test_a_throwaway_postgres_answers_queries(postgres_url: str) -> None:
    plain = postgres_url.replace("+psycopg", "")
    with psycopg.connect(plain) as connection:
        assert connection.execute("select 1 + 1").fetchone() == (2,)
