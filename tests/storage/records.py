"""Factories of complete records; arguments set the fields that a test is about."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, TypeVar
from uuid import uuid4

from cryptography.fernet import Fernet

from crossway.adapters.vault import FernetVault
from crossway.domain.clients import Client
from crossway.domain.costs import Costs
from crossway.domain.deposits import Deposit, IncomingTransfer
from crossway.domain.intent import Intent, IntentEvent, State, Terms, advance
from crossway.domain.ledger import Account, Posting
from crossway.domain.outbound import OutboundTx, OutboundTxKind, OutboundTxState
from crossway.ports.chain import SignedTx
from crossway.ports.records import IntentChange, NewOutboundTx, OutboundTxChange, TxAttempt
from crossway.storage.store import SqlStore

T = TypeVar("T")
VAULT = FernetVault([Fernet.generate_key()], b"index key")
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
    """An intent of 25 USDC with unique addresses and nonce."""
    number = next(_numbers)
    terms_fields: dict[str, Any] = {
        "nonce": HUGE + number,
        "source_chain": BASE,
        "destination_chain": ARBITRUM,
        "token_in": "usdc-base",
        "token_out": "usdc-arbitrum",
        "deposit_amount": 25_000_000,
        "payout_amount": 24_900_000,
        "recipient": f"recipient-{number}",
        "refund_address": f"refund-{number}",
        "bridge": "CCTP",
        "expires_at": later(3600),
    }
    facts: dict[str, Any] = {
        "id": 0,
        "client_id": "c-1",
        "mode": "test",
        "intent_hash": f"key-{number}",
        "address": f"address-{number}",
        "destination_address": f"destination-{number}",
        "deposit_token_account": None,
        "terms": Terms(**(terms_fields | (terms or {}))),
        "costs": Costs(24_900_000, 10_000, 80_000, 10_000, 90_000, 10_000),
        "sender": f"sender-{number}",
        "requested_amount": 24_900_000,
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
        "received_amount": 0,
        "balance_at_address": 0,
        "relayer": "",
        "relayer_claimed": False,
        "needs_relay": False,
        "tx_hash": None,
        "created_at": NOW,
        "updated_at": NOW,
    }
    return Intent(**(facts | more))


def store_intent(store: SqlStore, terms: dict[str, Any] | None = None, **more: Any) -> Intent:
    """A stored intent."""
    intent = an_intent(terms, **more)
    return store.write(lambda unit: unit.intents.add(intent, f"evt_{uuid4().hex}"))


def intent_change(before: Intent, event: IntentEvent, **facts: Any) -> IntentChange:
    """The change that an event makes by the transition table."""
    move = advance(before.state, event)
    after = replace(before, state=move.to, updated_at=later(1), **facts)
    return IntentChange(before, after, event, move)


def advance_intent(store: SqlStore, intent: Intent, *events: IntentEvent, **facts: Any) -> Intent:
    """Store these events one by one and return the intent."""
    for event in events:
        step = intent_change(intent, event, **facts)
        store.write(lambda unit, step=step: unit.intents.apply([step]))  # type: ignore[misc]
        intent = step.after
    return intent


def an_incoming_transfer(to: Intent, units: int = 25_000_000, **more: Any) -> IncomingTransfer:
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
        "amount": units,
        "at": NOW,
    }
    return IncomingTransfer(**(facts | more))


def store_deposits(
    store: SqlStore, to: Intent, *found: IncomingTransfer, depth: int = 3
) -> list[Deposit]:
    """Record these transfers and return the intent's deposits."""
    rows = [(to.id, item, depth) for item in found]
    store.write(lambda unit: unit.deposits.add(rows))
    with store.read() as unit:
        return unit.deposits.list_by_intents([to.id])


def a_new_tx(
    intent: Intent, duty: OutboundTxKind = OutboundTxKind.START, cause: str = "start", **more: Any
) -> NewOutboundTx:
    terms = intent.terms
    facts: dict[str, Any] = {
        "chain": terms.source_chain,
        "token": terms.token_in,
        "amount": terms.deposit_amount,
        "to_address": "bridger",
        "next_at": NOW,
    }
    return NewOutboundTx(intent.id, duty, cause, **(facts | more))


def enqueue(store: SqlStore, *txs: NewOutboundTx) -> list[OutboundTx]:
    """Enqueue these outbound transactions and return them."""
    store.write(lambda unit: unit.outbound_txs.enqueue(txs, NOW))
    with store.read() as unit:
        return unit.outbound_txs.list_by_intents({item.intent_id for item in txs})


def tx_change(transfer: OutboundTx, after: OutboundTxState, **more: Any) -> OutboundTxChange:
    facts: dict[str, Any] = {"attempt_count": transfer.attempt_count, "reason": "", "next_at": NOW}
    facts |= {"tx_id": None, "block_height": None}
    return OutboundTxChange(transfer.id, transfer.state, after, **(facts | more))


def an_attempt(transfer: OutboundTx, tx_id: str, nonce: int = 0) -> TxAttempt:
    signed = SignedTx(tx_id, b"\x00raw\xff", nonce, HUGE, "relayer")
    return TxAttempt(transfer.id, transfer.chain, signed, NOW)


def a_posting(intent: Intent, units: int, tx: str = "tx", **more: Any) -> Posting:
    facts: dict[str, Any] = {"chain": BASE, "token": "usdc-base"}
    facts |= {"debit": Account.HELD, "credit": Account.PAYER, "amount": units, "tx": tx}
    return Posting(intent.id, **(facts | more))


def run_concurrently(works: Sequence[Callable[[], T]], threads: int = 8) -> list[T]:
    """Run all in threads and return their results; the first error is raised."""
    with ThreadPoolExecutor(threads) as pool:
        return [future.result() for future in [pool.submit(work) for work in works]]
