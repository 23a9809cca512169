"""Whole services on throwaway databases, for benchmarks: built, filled and let go."""

import secrets
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from sqlalchemy import insert

from crossway.bootstrap import Service, build
from crossway.domain.clients import Caller, Mode, Scope, insider
from crossway.domain.intent import Intent, State
from crossway.settings import Settings
from crossway.storage.intent_rows import intent_row
from crossway.storage.tables import intent_counts, intents
from crossway.usecases.developers import clients
from crossway.usecases.payments.intents import create
from crossway.usecases.payments.terms import CreateIntent

SOURCE, DESTINATION = "BASE_MAINNET", "ARBITRUM_MAINNET"


@contextmanager
def service() -> Iterator[Service]:
    """A service on a SQLite file of its own; its engine runs only when it is told to."""
    with tempfile.TemporaryDirectory(prefix="crossway-benchmark-") as folder:
        built = build(Settings(data_dir=Path(folder), database_url=None))
        try:
            yield built
        finally:
            built.close()


def caller(built: Service) -> Caller:
    """A client that may do everything."""
    client = clients.create(built.services, f"Shop {secrets.token_hex(4)}", insider("benchmark"))
    return Caller(client, Mode.TEST, frozenset(Scope))


def payment(built: Service, who: Caller) -> Intent:
    """One intent of 25 USDC from Base to Arbitrum, created as a client creates it."""
    services = built.services
    return create(
        services,
        who,
        CreateIntent(
            amount="25000000",
            token_in=services.catalogue.tokens[SOURCE, "USDC"].address,
            source_chain=SOURCE,
            destination_chain=DESTINATION,
            recipient=services.chains[DESTINATION].deposit_address("a recipient"),
            refund_address=services.chains[SOURCE].deposit_address("a payer"),
        ),
    )


def alike(built: Service, model: Intent, first: int, count: int) -> list[Intent]:
    """Unstored intents with the terms of a model, each with its own nonce and address."""
    source, destination = built.services.chains[SOURCE], built.services.chains[DESTINATION]
    made = []
    for nonce in range(first, first + count):
        terms = replace(model.terms, nonce=nonce)
        key = source.intent_key(terms)
        made.append(
            replace(
                model,
                terms=terms,
                key=key,
                address=source.deposit_address(key),
                destination_address=destination.deposit_address(key),
            )
        )
    return made


def store_pending(built: Service, made: Sequence[Intent]) -> list[Intent]:
    """Store intents as a client's requests would, in one commit; answers them with their ids."""
    return built.store.write(
        lambda unit: [unit.intents.add(one, f"evt_{secrets.token_hex(16)}") for one in made]
    )


def store_ended(built: Service, model: Intent, first: int, count: int) -> None:
    """Store intents that are long over, straight into their table: history to sweep past."""
    for start in range(first, first + count, 10_000):
        size = min(10_000, first + count - start)
        rows = [
            intent_row(replace(one, state=State.COMPLETED)) | {"expires_at": 0}
            for one in _cheap(model, start, size)
        ]
        with built.store.writer.begin() as db:
            db.execute(insert(intents), rows)
    with built.store.writer.begin() as db:
        row = {"client_id": f"history {first}", "state": State.COMPLETED.value, "n": count}
        db.execute(insert(intent_counts), row)


def _cheap(model: Intent, first: int, count: int) -> Iterator[Intent]:
    """As `alike`, with made-up addresses: nobody looks at them again."""
    for nonce in range(first, first + count):
        terms = replace(model.terms, nonce=nonce, expires_at=model.created_at - timedelta(days=30))
        yield replace(model, terms=terms, address=f"0x{nonce:040x}", key=f"0x{nonce:064x}")
