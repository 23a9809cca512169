"""Whole services on temporary databases for benchmarks."""

import secrets
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from sqlalchemy import insert

from crossway.bootstrap import Service, build
from crossway.domain.clients import Mode, Principal, Scope, staff_principal
from crossway.domain.intent import Intent, State
from crossway.settings import Settings
from crossway.storage.intent_rows import intent_row
from crossway.storage.tables import intent_counts, intents
from crossway.usecases.developers import clients
from crossway.usecases.payments.create_intent import create_intent
from crossway.usecases.payments.intent_request import CreateIntentRequest

SOURCE, DESTINATION = "BASE_MAINNET", "ARBITRUM_MAINNET"


@contextmanager
def service(database_url: str | None = None) -> Iterator[Service]:
    """A service on its own SQLite file, or a database; its engine runs only on demand."""
    with (
        tempfile.TemporaryDirectory(prefix="crossway-benchmark-") as folder,
        service_in(Path(folder), database_url) as built,
    ):
        yield built


@contextmanager
def service_in(folder: Path, database_url: str | None = None) -> Iterator[Service]:
    """A service on the database of a data folder, or another; its engine runs only on demand."""
    built = build(Settings(data_dir=folder, database_url=database_url, loopback_webhooks=True))
    try:
        yield built
    finally:
        built.close()


def caller(built: Service) -> Principal:
    """A principal with all permissions."""
    client = clients.create_client(
        built.services, f"Shop {secrets.token_hex(4)}", staff_principal("benchmark")
    )
    return Principal(client, Mode.TEST, frozenset(Scope))


def payment(built: Service, who: Principal) -> Intent:
    """One intent of 25 USDC from Base to Arbitrum, created as by a client."""
    services = built.services
    return create_intent(
        services,
        who,
        CreateIntentRequest(
            amount="25000000",
            token_in=services.catalogue.tokens[SOURCE, "USDC"].address,
            source_chain=SOURCE,
            destination_chain=DESTINATION,
            recipient=services.chains[DESTINATION].deposit_address("a recipient"),
            refund_address=services.chains[SOURCE].deposit_address("a payer"),
        ),
    )


def alike(built: Service, model: Intent, first: int, count: int) -> list[Intent]:
    """Copies of an intent, not stored, each with its own nonce and address."""
    source, destination = built.services.chains[SOURCE], built.services.chains[DESTINATION]
    made = []
    for nonce in range(first, first + count):
        terms = replace(model.terms, nonce=nonce)
        key = source.intent_hash(terms)
        made.append(
            replace(
                model,
                terms=terms,
                intent_hash=key,
                address=source.deposit_address(key),
                destination_address=destination.deposit_address(key),
            )
        )
    return made


def store_pending(built: Service, made: Sequence[Intent]) -> list[Intent]:
    """Store intents as requests would, in one commit; returns them with their ids."""
    return built.store.write(
        lambda unit: [unit.intents.add(item, f"evt_{secrets.token_hex(16)}") for item in made]
    )


def store_ended(built: Service, model: Intent, first: int, count: int) -> None:
    """Insert old completed intents directly into their table, as history."""
    for start in range(first, first + count, 10_000):
        size = min(10_000, first + count - start)
        rows = [
            intent_row(replace(item, state=State.COMPLETED)) | {"expires_at": 0}
            for item in _cheap(model, start, size)
        ]
        with built.store.writer.begin() as db:
            db.execute(insert(intents), rows)
    with built.store.writer.begin() as db:
        owner = {"client_id": f"history {first}", "mode": model.mode}
        row = {**owner, "state": State.COMPLETED.value, "total": count}
        db.execute(insert(intent_counts), row)


def _cheap(model: Intent, first: int, count: int) -> Iterator[Intent]:
    """Like `alike`, with random addresses."""
    for nonce in range(first, first + count):
        terms = replace(model.terms, nonce=nonce, expires_at=model.created_at - timedelta(days=30))
        yield replace(model, terms=terms, address=f"0x{nonce:040x}", intent_hash=f"0x{nonce:064x}")
