"""Signing under attack: rows that change behind the engine's back, and calls altered on the way."""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from crossway.domain.errors import SigningRefused, Unreachable
from crossway.domain.outbound import OutboundTx, OutboundTxKind, OutboundTxState
from crossway.domain.outbound_call import OutboundCall, Output
from crossway.engine.alerts import describe_outbound_tx
from crossway.engine.fee_bumper import bump_fees
from crossway.engine.sweeps import run_alone
from crossway.engine.tx_builder import build_outbound_call
from crossway.engine.tx_submitter import submit_due
from crossway.ports.records import Alert
from crossway.ports.sandbox import Faults
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.signing_policy import SigningPolicy
from tests.harness import START, Harness
from tests.processes import ROOT

BASE, OPTIMISM = "BASE_MAINNET", "OPTIMISM_MAINNET"
K, T = OutboundTxKind, OutboundTxState
THIEF, OTHER = "0x" + "ab" * 20, "0x" + "cd" * 20
TX = "UPDATE outbound_txs SET {} WHERE intent_id = 1 AND kind = '{}'"
INTENT = "UPDATE intents SET {} WHERE id = 1"
WRONG_TERMS = "its chain, token or amount is not that of the terms"
WRONG_RECEIVER = "it does not pay what the terms say to whom they say"
WRONG_HASH = "the terms of the payment are not those of its intent hash"


class Held(Exception):
    """Keeps a due transaction from being signed."""


class World(Harness):
    """A Crossway whose payment waits to have a transaction of one kind signed."""

    def __init__(self, url: str, kind: OutboundTxKind, **policy: Any) -> None:
        self.kind, self.holds, self.sql = kind, True, ""
        super().__init__(url, self._before_sign, chains=[BASE, OPTIMISM], **policy)
        intent = self.create_intent(BASE, OPTIMISM)
        short = kind is K.REFUND
        self.deposit(intent, "1000000" if short else "exact")
        while not self.is_due():
            assert self.machine.seconds < START + 10_000
            self.pass_time(60 if short else 1, step=60 if short else 1)

    def _before_sign(self, step: str) -> None:
        if step != "before-sign" or not self.is_due():
            return
        if self.holds:
            raise Held
        if self.sql:
            with self.store.writer.begin() as db:
                assert db.execute(text(self.sql)).rowcount == 1
            self.sql = ""

    def is_due(self) -> bool:
        with self.store.read() as unit:
            txs = unit.outbound_txs.list_by_intents([1], self.kind)
        return any(tx.state is T.DUE and tx.next_at <= self.clock.now() for tx in txs)

    def tx(self, kind: OutboundTxKind | None = None) -> OutboundTx:
        with self.store.read() as unit:
            return unit.outbound_txs.list_by_intents([1], kind or self.kind)[0]

    def call(self, kind: OutboundTxKind | None = None) -> OutboundCall:
        tx = self.tx(kind)
        with self.store.read() as unit:
            intent = unit.intents.get_many([1])[1]
        return build_outbound_call(tx, intent, self.services.chains[tx.chain].accounts)

    def alerts(self) -> list[Alert]:
        with self.store.read() as unit:
            return [a for a in unit.alerts.list_active(limit=100) if a.kind == "signing"]

    def books(self) -> dict[Any, int]:
        with self.store.read() as unit:
            return unit.ledger.get_balances()

    def refusal(
        self, *changes: str, call: OutboundCall | None = None, kind: OutboundTxKind | None = None
    ) -> str:
        """Why a transaction is not signed after these changes of rows, which are undone."""
        tx, built, reasons = self.tx(kind), call or self.call(kind), []
        chain = self.services.chains[tx.chain]

        def work(unit: UnitOfWork) -> None:
            for sql in changes:
                assert unit.intents._db.execute(text(sql)).rowcount == 1  # type: ignore[attr-defined]
            try:
                SigningPolicy(unit, self.services, chain, [tx]).require_signable(tx, built)
            except SigningRefused as refused:
                reasons.append(str(refused))
            raise Held

        with suppress(Held):
            self.store.write(work)
        return reasons[0] if reasons else ""


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[OutboundTxKind], World]]:
    """Worlds by the kind of their due transaction; nothing that a test does stays."""
    folder, worlds = tmp_path_factory.mktemp("signing"), {}

    def get(kind: OutboundTxKind) -> World:
        if kind not in worlds:
            worlds[kind] = World(f"sqlite:///{folder / kind}.db", kind)
        return worlds[kind]

    yield get
    for world in worlds.values():
        world.store.close()


Get = Callable[[OutboundTxKind], World]


def of_tx(kind: OutboundTxKind, assignment: str) -> str:
    return TX.format(assignment, kind)


CHANGED_ROWS = [
    (K.START, of_tx(K.START, f"to_address = '{THIEF}'"), WRONG_RECEIVER),
    (K.START, of_tx(K.START, "amount = '1'"), WRONG_TERMS),
    (K.START, of_tx(K.START, f"token = '{THIEF}'"), WRONG_TERMS),
    (K.START, of_tx(K.START, "cause = 'start again'"), "its cause is 'start again'"),
    (K.START, of_tx(K.START, "state = 'FINAL'"), "it is final"),
    (K.START, of_tx(K.START, "state = 'CANCELLED'"), "it is cancelled"),
    (K.START, INTENT.format(f"refund_address = '{THIEF}'"), "other terms than the payment"),
    (K.START, INTENT.format("state = 'EXPIRED'"), "the payment is expired"),
    (K.START, INTENT.format(f"address = '{OTHER}'"), "the deposit address of the payment"),
    (K.START, INTENT.format(f"bridger = '{THIEF}'"), "other terms than the payment"),
    (K.FILL, of_tx(K.FILL, f"to_address = '{THIEF}'"), WRONG_RECEIVER),
    (K.FILL, of_tx(K.FILL, "amount = '25000001'"), WRONG_TERMS),
    (K.FILL, of_tx(K.FILL, f"token = '{THIEF}'"), WRONG_TERMS),
    (K.FILL, of_tx(K.FILL, f"chain = '{BASE}'"), "the call is that of another transaction"),
    (K.FILL, of_tx(K.FILL, "intent_id = 2"), "it belongs to another payment"),
    (K.FILL, of_tx(K.FILL, "cause = 'fill again'"), "its cause is 'fill again'"),
    (K.FILL, INTENT.format(f"recipient = '{THIEF}'"), "other terms than the payment"),
    (K.FILL, INTENT.format("payout_amount = '999000000'"), "other terms than the payment"),
    (K.FILL, INTENT.format("state = 'FUNDED'"), "the payment is funded"),
    (K.FILL, INTENT.format("state = 'COMPLETED'"), "the payment is completed"),
    (K.FILL, of_tx(K.START, "state = 'DUE'"), "the deposit was not collected"),
    (K.REIMBURSE, of_tx(K.REIMBURSE, "amount = '1'"), WRONG_TERMS),
    (K.REIMBURSE, INTENT.format("state = 'INITIATED'"), "the payment is initiated"),
    (K.REIMBURSE, of_tx(K.FILL, "state = 'FAILED'"), "the books show no payout"),
    (K.REFUND, of_tx(K.REFUND, f"to_address = '{THIEF}'"), WRONG_RECEIVER),
    (K.REFUND, of_tx(K.REFUND, "amount = '1000'"), WRONG_RECEIVER),
    (K.REFUND, INTENT.format(f"refund_address = '{THIEF}'"), "other terms than the payment"),
    (K.REFUND, INTENT.format("state = 'COMPLETED'"), "the payment is completed"),
]


@pytest.mark.parametrize(("kind", "sql", "reason"), CHANGED_ROWS)
def test_a_row_that_changed_after_its_call_was_built_is_not_signed(
    held: Get, kind: OutboundTxKind, sql: str, reason: str
) -> None:
    world = held(kind)
    assert not world.refusal()
    assert reason in world.refusal(sql)


def test_changed_terms_have_another_intent_hash(held: Get) -> None:
    """Whoever changes the terms before the call is built changes both alike."""
    world = held(K.FILL)
    terms = world.call().terms
    assert terms is not None
    for field, value in (("recipient", THIEF), ("payout_amount", 10**9), ("token_out", OTHER)):
        changed = replace(world.call(), terms=replace(terms, **{field: value}))
        assert WRONG_HASH in world.refusal(INTENT.format(f"{field} = '{value}'"), call=changed)


def test_a_payout_that_the_books_show_is_not_paid_again(held: Get) -> None:
    """Somebody made its transaction due again and the payment unpaid."""
    world = held(K.REIMBURSE)
    again = (of_tx(K.FILL, "state = 'DUE', tx_id = NULL"), INTENT.format("state = 'INITIATED'"))
    refusal = world.refusal(*again, kind=K.FILL)
    assert refusal == "Not signed: the recipient was paid already."


def test_a_payout_is_not_signed_after_the_deposit_went_back(held: Get) -> None:
    world = held(K.FILL)
    refund = (
        "INSERT INTO outbound_txs (intent_id, kind, cause, chain, token, amount, to_address, "
        "state, attempt_count, reason, next_at, created_at, updated_at) SELECT intent_id, "
        "'REFUND', 'failed', chain, token, amount, to_address, 'FINAL', 0, '', 0, 0, 0 "
        "FROM outbound_txs WHERE kind = 'START'"
    )
    assert "the collected deposit was refunded" in world.refusal(refund)


def test_a_refund_goes_elsewhere_only_where_the_audit_log_has_a_redirect(held: Get) -> None:
    world = held(K.REFUND)
    call, redirect = world.call(), of_tx(K.REFUND, f"to_address = '{OTHER}'")
    (output,) = call.outputs
    changed = replace(call, outputs=(replace(output, to=OTHER),))
    assert "nobody redirected the refund" in world.refusal(redirect, call=changed)
    logged = (
        "INSERT INTO audit_log (at, actor, action, subject, detail, hash) VALUES "
        "(0, 'Ada', 'refund redirected', 'intent:{}', '{{\"to\": \"{}\"}}', '')"
    )
    other_payment, other_address = logged.format(2, OTHER), logged.format(1, THIEF)
    assert "nobody" in world.refusal(redirect, other_payment, other_address, call=changed)
    booked = f"INSERT INTO address_book VALUES (1, '{BASE}', '{OTHER}', '', '', 0, 0, NULL, '')"
    log = logged.format(1, OTHER)
    assert "not in the address book any more" in world.refusal(redirect, log, call=changed)
    assert "nobody redirected the refund" in world.refusal(redirect, booked, call=changed)
    assert not world.refusal(redirect, log, booked, call=changed)


def alterations(call: OutboundCall) -> Iterator[tuple[OutboundCall, str]]:
    """The call with one thing changed, and why it is not signed."""
    yield replace(call, kind=K.SKIP_NONCE), "another transaction"
    yield replace(call, intent_hash="0x" + "11" * 32), "another transaction"
    yield replace(call, chain=BASE if call.chain == OPTIMISM else OPTIMISM), "another transaction"
    yield replace(call, account=THIEF), "is not the relayer's account"
    yield replace(call, coordinator=THIEF), "other terms than the payment"
    yield replace(call, bridger=THIEF), "other terms than the payment"
    yield replace(call, terms=None), "other terms than the payment"
    yield replace(call, outputs=()), WRONG_RECEIVER
    for place, output in enumerate(call.outputs):
        more = 1 if output.amount is None else output.amount + 1
        for changed in (
            replace(output, to=THIEF),
            replace(output, source=THIEF),
            replace(output, token=THIEF),
            replace(output, amount=more),
        ):
            outputs = (*call.outputs[:place], changed, *call.outputs[place + 1 :])
            yield replace(call, outputs=outputs), WRONG_RECEIVER
    extra = Output(call.account, THIEF, call.terms.token_out if call.terms else "", 1)
    yield replace(call, outputs=(*call.outputs, extra)), WRONG_RECEIVER
    other_marker = None if call.marker else "fill:0x00"
    yield replace(call, marker=other_marker), "its marker or its deadline"


@pytest.mark.parametrize("kind", [K.START, K.FILL, K.REIMBURSE, K.REFUND])
def test_a_call_that_was_altered_after_it_was_built_is_not_signed(
    held: Get, kind: OutboundTxKind
) -> None:
    world = held(kind)
    for altered, reason in alterations(world.call()):
        assert reason in world.refusal(call=altered), altered


@pytest.mark.parametrize("kind", [K.START, K.FILL, K.REIMBURSE, K.REFUND])
def test_what_is_refused_raises_an_alert_and_leaves_the_books_as_they_were(
    tmp_path: Path, kind: OutboundTxKind
) -> None:
    world = World(f"sqlite:///{tmp_path / 'crossway.db'}", kind)
    books = world.books()
    world.sql, world.holds = of_tx(kind, "amount = '1'"), False
    world.pass_time(5)
    assert not world.sql
    assert (world.tx().state, world.tx().tx_id, world.tx().amount) == (T.DUE, None, 1)
    (alert,) = world.alerts()
    assert (alert.subject, alert.key) == ("1", f"signing:{world.tx().id}")
    assert alert.message == f"{describe_outbound_tx(kind, 1)}: {world.tx().reason}"
    assert world.books() == books
    with world.store.read() as unit:
        assert not unit.outbound_txs.list_attempts([world.tx().id])
    world.pass_time(70, step=10)
    assert (world.tx().tx_id, world.books()) == (None, books)
    world.store.close()


def test_nothing_but_the_policy_has_calls_signed() -> None:
    folders = [ROOT / "src/crossway" / name for name in ("engine", "usecases", "api", "cli")]
    callers = {
        path.name
        for folder in folders
        for path in folder.rglob("*.py")
        if re.search(r"chains?(\[\w+\])?\.sign\(", path.read_text())
    }
    assert callers == {"signing_policy.py"}


def test_a_nonce_is_signed_only_for_its_own_transaction(held: Get) -> None:
    world = held(K.FILL)
    tx, call = world.tx(), world.call()
    chain = world.services.chains[tx.chain]

    def work(unit: UnitOfWork) -> None:
        first = unit.account_nonces.reserve(chain.id, chain.accounts.relayer, 1, 0)
        policy = SigningPolicy(unit, world.services, chain, [tx])
        for nonces in ([first + 1], [first - 1_000], [first, first]):
            with pytest.raises(SigningRefused, match="nonce"):
                policy.sign([(tx, call, nonce) for nonce in nonces], 10**15)
        (signed,) = policy.sign([(tx, call, first)], 10**15)
        assert signed.nonce == first
        raise Held

    with pytest.raises(Held):
        world.store.write(work)


def test_skipping_a_nonce_moves_nothing(held: Get) -> None:
    world = held(K.FILL)
    relayer = world.services.chains[OPTIMISM].accounts.relayer
    skip = (
        "INSERT INTO outbound_txs (id, intent_id, kind, cause, chain, token, amount, to_address, "
        "state, attempt_count, reason, next_at, created_at, updated_at) VALUES (99, 1, "
        f"'SKIP_NONCE', 'nonce:7', '{OPTIMISM}', 'native', '0', '{relayer}', 'DUE', 0, '', 0, 0, 0)"
    )

    def work(unit: UnitOfWork) -> None:
        unit.intents._db.execute(text(skip))  # type: ignore[attr-defined]
        tx = unit.outbound_txs.lock([99])[99]
        chain = world.services.chains[OPTIMISM]
        call = build_outbound_call(tx, unit.intents.get_many([1])[1], chain.accounts)
        policy = SigningPolicy(unit, world.services, chain, [tx])
        paying = replace(call, outputs=(Output(relayer, THIEF, "native", 1),))
        with pytest.raises(SigningRefused, match=WRONG_RECEIVER):
            policy.sign([(tx, paying, 7)], 10**15)
        with pytest.raises(SigningRefused, match="nonce 8 is not its own"):
            policy.sign([(tx, call, 8)], 10**15)
        assert policy.sign([(tx, call, 7)], 10**15)
        raise Held

    with pytest.raises(Held):
        world.store.write(work)


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        (of_tx(K.FILL, f"to_address = '{THIEF}'"), WRONG_RECEIVER),
        (INTENT.format(f"recipient = '{THIEF}'"), WRONG_HASH),
        (of_tx(K.START, "state = 'FAILED'"), "the deposit was not collected"),
        ("UPDATE tx_attempts SET nonce = '99' WHERE outbound_tx_id = {}", "is not its own"),
    ],
)
def test_a_replacement_with_a_higher_fee_is_compared_as_well(
    tmp_path: Path, sql: str, reason: str
) -> None:
    world = World(f"sqlite:///{tmp_path / 'crossway.db'}", K.FILL)
    chain = world.services.chains[OPTIMISM]
    # Nothing is included, so that what is signed stays replaceable.
    world.sandbox.inject_faults(OPTIMISM, Faults(slow_blocks=50))
    world.holds = False
    while world.tx().state is not T.SIGNED:
        world.pass_time(1)
    with world.store.read() as unit:
        attempts = unit.outbound_txs.list_attempts([world.tx().id])
    with world.store.writer.begin() as db:
        assert db.execute(text(sql.format(world.tx().id))).rowcount == 1
    world.sandbox.inject_faults(OPTIMISM, Faults(fee_factor=3))
    signed, books = world.tx(), world.books()
    bump_fees(world.services, chain, attempts)
    with world.store.read() as unit:
        assert len(unit.outbound_txs.list_attempts([signed.id])) == 1
    assert (world.tx().tx_id, world.books()) == (signed.tx_id, books)
    assert reason in world.alerts()[0].message
    world.store.close()


class SilentSigner:
    """A chain whose signer does not answer."""

    def __init__(self, chain: Any) -> None:
        self._chain = chain

    def __getattr__(self, name: str) -> Any:
        return getattr(self._chain, name)

    def sign(self, *_: Any) -> Any:
        raise Unreachable("signer kms does not answer in time")


def test_a_silent_signer_stores_nothing_and_keeps_nothing_else_waiting(tmp_path: Path) -> None:
    world = World(f"sqlite:///{tmp_path / 'crossway.db'}", K.FILL)
    chains = {**world.services.chains, OPTIMISM: SilentSigner(world.services.chains[OPTIMISM])}
    silent, books = replace(world.services, chains=chains), world.books()
    world.holds = False
    heads = {OPTIMISM: chains[OPTIMISM].heads()}
    with world.store.read() as unit:
        range_before = unit.account_nonces.get_range(OPTIMISM, chains[OPTIMISM].accounts.relayer)
    assert run_alone(submit_due, silent, heads) == 0
    with world.store.read() as unit:
        (alert,) = [a for a in unit.alerts.list_active() if a.kind == "signer"]
        accounts = chains[OPTIMISM].accounts
        assert unit.account_nonces.get_range(OPTIMISM, accounts.relayer) == range_before
    assert alert.message.endswith("now: signer kms does not answer in time.")
    assert (world.tx().state, world.books()) == (T.DUE, books)
    world.pass_time(3)
    with world.store.read() as unit:
        (attempt,) = unit.outbound_txs.list_attempts([world.tx().id])
    bump_fees(silent, silent.chains[OPTIMISM], [attempt])
    assert world.tx().tx_id == attempt.signed.tx_id
    world.store.close()
