"""Signing inventory transfers under attack: altered calls, agreements and rows are refused."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from crossway.domain.errors import SigningRefused
from crossway.domain.outbound import OutboundTx, OutboundTxKind, OutboundTxState
from crossway.domain.outbound_call import OutboundCall, Output
from crossway.engine.inventory_txs import build_inventory_calls
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.signing_policy import SigningPolicy
from tests.engine.funding_world import ARBITRUM, FundingWorld

K = OutboundTxKind
THIEF = "0x" + "ab" * 20
Change = Callable[[OutboundCall], OutboundCall]


class Held(Exception):
    """Keeps a due transaction from being signed."""


class HeldWorld(FundingWorld):
    """Its inventory transfer is agreed to, and its last transaction is due."""

    def __init__(self, folder: Path, bridge: str) -> None:
        super().__init__(folder, bridge, reached=self._before_sign)
        self.set_inventory(ARBITRUM, 0)
        self.intent = self.pay()
        while not self.due():
            self.pass_time(1)

    def _before_sign(self, step: str) -> None:
        if step == "before-sign" and hasattr(self, "intent") and self.due():
            raise Held

    def due(self) -> list[OutboundTx]:
        with self.store.read() as unit:
            txs = unit.outbound_txs.list_by_intents([self.intent.id], K.INVENTORY_SEND)
        return [tx for tx in txs if tx.state is OutboundTxState.DUE]

    def refusal(self, change: Change = lambda call: call) -> str:
        """Why the due call, so changed, is not signed; empty where it would be."""
        [tx] = self.due()
        chain = self.services.chains[tx.chain]

        def check(unit: UnitOfWork) -> str:
            intents = {self.intent.id: self.reload(self.intent)}
            call = build_inventory_calls(unit, self.services, chain, [tx], intents)[tx.id]
            policy = SigningPolicy(unit, self.services, chain, [tx])
            try:
                policy.require_signable(tx, change(call))
            except SigningRefused as refused:
                return str(refused)
            return ""

        return self.store.write(check)

    def execute(self, sql: str) -> None:
        with self.store.writer.begin() as db:
            db.execute(text(sql))


@pytest.fixture
def gateway(tmp_path: Path) -> HeldWorld:
    return HeldWorld(tmp_path, "GATEWAY")


@pytest.fixture
def rhino(tmp_path: Path) -> HeldWorld:
    return HeldWorld(tmp_path, "RHINOFI")


ALTERED: list[tuple[Change, str]] = [
    (lambda c: replace(c, contract=THIEF), "not the one that the bridge names"),
    (lambda c: replace(c, data=c.data + b" "), "not the one that the bridge names"),
    (lambda c: replace(c, value=1), "not the one that the bridge names"),
    (lambda c: replace(c, account=THIEF), "is not the relayer's account"),
    (lambda c: replace(c, kind=K.FILL), "that of another transaction"),
    (
        lambda c: replace(c, outputs=(Output(c.account, THIEF, "t", 1),)),
        "moves more than its contract is called for",
    ),
    (lambda c: replace(c, marker="inventory:another"), "moves more than its contract is called"),
]


@pytest.mark.parametrize(("change", "reason"), ALTERED)
def test_an_altered_call_is_refused(rhino: HeldWorld, change: Change, reason: str) -> None:
    assert rhino.refusal() == ""
    assert reason in rhino.refusal(change)


def test_a_call_that_calls_nothing_may_be_signed(gateway: HeldWorld) -> None:
    def empty(call: OutboundCall) -> OutboundCall:
        return replace(call, contract="", data=b"", value=0)

    assert gateway.refusal(empty) == ""


@pytest.mark.parametrize(
    ("column", "reason"),
    [
        ("source_amount = '99000000'", "is not that of the inventory transfer"),
        ("state = 'PLANNED'", ""),
        ("attempt = 2", ""),
    ],
)
def test_a_changed_transfer_is_refused(rhino: HeldWorld, column: str, reason: str) -> None:
    """Without its agreement, the call is one that calls nothing."""
    rhino.execute(f"UPDATE inventory_transfers SET {column}")
    assert reason in rhino.refusal()
    if not reason:
        given = replace(rhino.due()[0])
        assert "has not agreed" in rhino.refusal(lambda c: replace(c, contract=given.to_address))


def test_more_than_the_payment_has_brought_is_refused(rhino: HeldWorld) -> None:
    rhino.execute("UPDATE inventory_transfers SET source_amount = '99000000'")
    rhino.execute("UPDATE outbound_txs SET amount = '99000000' WHERE kind = 'INVENTORY_SEND'")
    assert "takes more than the payment has brought" in rhino.refusal()


def test_a_mint_of_another_amount_is_refused(gateway: HeldWorld) -> None:
    gateway.execute("UPDATE inventory_transfers SET amount = '99000000'")
    gateway.execute("UPDATE outbound_txs SET amount = '99000000' WHERE kind = 'INVENTORY_SEND'")
    assert "mints another amount than the payout" in gateway.refusal()
