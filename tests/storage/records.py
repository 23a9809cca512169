"""Records to store, complete, with what a test cares about as arguments."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, TypeVar
from uuid import uuid4

from crossway.domain.clients import Client
from crossway.domain.deposits import Deposit, Incoming
from crossway.domain.intent import Costs, Event, Intent, State, Terms, advance
from crossway.domain.ledger import Account, Posting
from crossway.domain.transfers import Duty, Transfer, TransferState
from crossway.ports.chain import Signed
from crossway.ports.records import Attempt, Change, Owed, TransferChange
from crossway.storage.store import SqlStore

T = TypeVar("T")
NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
HUGE = 2**255 + 1
_numbers = count(1)


def later(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def a_client(id: str = "c-1", **more: Any) -> Client:
    facts: dict[str, Any] = {"name": f"Shop {id}", "app_fee_bps": 0, "created_at": NOW}
    facts |= {"app_fee_cap_micro_usd": None, "requests_per_minute": 250}
    return Client(id, **(facts | more))


def an_intent(terms: dict[str, Any] | None = None, **more: Any) -> Intent:
    """Of 25 USDC, whose addresses and nonce no other has."""
    number = next(_numbers)
    agreed: dict[str, Any] = {
        "nonce": HUGE + number,
        "source_chain": BASE,
        "destination_chain": ARBITRUM,
        "token_in": "usdc-base",
        "token_out": "usdc-arbitrum",
        "total_units": 25_000_000,
        "out_units": 24_900_000,
        "recipient": f"recipient-{number}",
        "refund_address": f"refund-{number}",
        "bridge": "CCTP",
        "expires_at": later(3600),
    }
    facts: dict[str, Any] = {
        "id": 0,
        "client_id": "c-1",
        "mode": "test",
        "key": f"key-{number}",
        "address": f"address-{number}",
        "destination_address": f"destination-{number}",
        "deposit_token_account": None,
        "terms": Terms(**(agreed | (terms or {}))),
        "costs": Costs(24_900_000, 10_000, 80_000, 10_000, 90_000, 10_000),
        "sender": f"sender-{number}",
        "amount_units": 24_900_000,
        "amount_symbol": "USDC",
        "asset_symbol": "USDC",
        "asset_decimals": 6,
        "out_symbol": "USDC",
        "out_decimals": 6,
        "slippage": "0.5",
        "settle_seconds": 20,
        "bridge_data": "",
        "coordinator": "coordinator",
        "bridger": "bridger",
        "metadata": {"order": number, "note": "Zürich ✓"},
        "payment_link_id": None,
        "state": State.PENDING,
        "received_units": 0,
        "held_units": 0,
        "relayer": "",
        "relayer_claimed": False,
        "needs_relay": False,
        "tx_hash": None,
        "created_at": NOW,
        "updated_at": NOW,
    }
    return Intent(**(facts | more))


def stored(store: SqlStore, terms: dict[str, Any] | None = None, **more: Any) -> Intent:
    """An intent that is stored."""
    made = an_intent(terms, **more)
    return store.write(lambda unit: unit.intents.add(made, f"evt_{uuid4().hex}"))


def change(before: Intent, event: Event, **facts: Any) -> Change:
    """One event, applied by the table."""
    move = advance(before.state, event)
    after = replace(before, state=move.to, updated_at=later(1), **facts)
    return Change(before, after, event, move)


def moved(store: SqlStore, intent: Intent, *events: Event, **facts: Any) -> Intent:
    """The intent after these events, stored one by one."""
    for event in events:
        step = change(intent, event, **facts)
        store.write(lambda unit, step=step: unit.intents.apply([step]))  # type: ignore[misc]
        intent = step.after
    return intent


def incoming(to: Intent, units: int = 25_000_000, **more: Any) -> Incoming:
    number = next(_numbers)
    facts: dict[str, Any] = {
        "chain": to.terms.source_chain,
        "tx_hash": f"tx-{number}",
        "index": 0,
        "block_height": 100,
        "block_hash": "hash-100",
        "token": to.terms.token_in,
        "sender": "payer",
        "to": to.address,
        "units": units,
        "at": NOW,
    }
    return Incoming(**(facts | more))


def seen(store: SqlStore, to: Intent, *found: Incoming, depth: int = 3) -> list[Deposit]:
    """The intent's deposits, once these are recorded."""
    rows = [(to.id, one, depth) for one in found]
    store.write(lambda unit: unit.deposits.add(rows))
    with store.read() as unit:
        return unit.deposits.of([to.id])


def owed(intent: Intent, duty: Duty = Duty.START, cause: str = "start", **more: Any) -> Owed:
    terms = intent.terms
    facts: dict[str, Any] = {
        "chain": terms.source_chain,
        "token": terms.token_in,
        "units": terms.total_units,
        "to_address": "bridger",
        "next_at": NOW,
    }
    return Owed(intent.id, duty, cause, **(facts | more))


def owing(store: SqlStore, *duties: Owed) -> list[Transfer]:
    """The transfers of the intents that owe these duties."""
    store.write(lambda unit: unit.transfers.owe(duties, NOW))
    with store.read() as unit:
        return unit.transfers.of({one.intent_id for one in duties})


def turned(transfer: Transfer, after: TransferState, **more: Any) -> TransferChange:
    facts: dict[str, Any] = {"tries": transfer.tries, "reason": "", "next_at": NOW}
    facts |= {"tx_id": None, "block_height": None}
    return TransferChange(transfer.id, transfer.state, after, **(facts | more))


def an_attempt(transfer: Transfer, tx_id: str, nonce: int = 0) -> Attempt:
    signed = Signed(tx_id, b"\x00raw\xff", nonce, HUGE)
    return Attempt(transfer.id, transfer.chain, "relayer", signed, NOW)


def a_posting(intent: Intent, units: int, tx: str = "tx", **more: Any) -> Posting:
    facts: dict[str, Any] = {"chain": BASE, "token": "usdc-base"}
    facts |= {"debit": Account.HELD, "credit": Account.PAYER, "units": units, "tx": tx}
    return Posting(intent.id, **(facts | more))


def at_once(works: Sequence[Callable[[], T]], threads: int = 8) -> list[T]:
    """The results of all, run in threads; the first error is raised."""
    with ThreadPoolExecutor(threads) as pool:
        return [future.result() for future in [pool.submit(work) for work in works]]
