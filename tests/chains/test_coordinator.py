"""A coordinator whose key is nowhere in Crossway: it signs with a wallet of its own what is
printed for it, and the books follow it on the chain."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from crossway.adapters.chains.evm.contracts import REDIRECT_SECONDS, default_deployment
from crossway.cli.program import cli
from crossway.domain.errors import InvalidInput, SigningRefused
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import Account
from crossway.domain.outbound import OutboundTx, OutboundTxKind, OutboundTxState
from crossway.domain.outbound_call import refund_call
from crossway.engine.tx_builder import build_outbound_call
from crossway.ports.records import Alert
from crossway.ports.store import UnitOfWork
from crossway.usecases.money.reconciliation import reconcile
from crossway.usecases.payments import manual_operations
from crossway.usecases.payments.claims import CARRIED_OUT_BY_COORDINATOR
from crossway.usecases.payments.signing_policy import SigningPolicy
from crossway.usecases.payments.timeline import get_timeline
from tests.chains.anvil import COORDINATOR, COORDINATOR_KEY, RELAYER, Anvil, dollars
from tests.chains.live import ARBITRUM, BASE, given_back, paid
from tests.chains.test_claims import AGREE, ClaimWorld
from tests.conformance.networks import made_up
from tests.harness import book_address


class ColdWorld(ClaimWorld):
    """A service whose coordinator on one chain is another account than the relayer's."""

    def __init__(self, folder: Path, chains: dict[str, Anvil]) -> None:
        chains[BASE].coordinator = COORDINATOR
        super().__init__(folder, chains)
        self.environment = {
            "CROSSWAY_NETWORK": "live",
            "CROSSWAY_PROFILE": str(folder / "profile.toml"),
            "CROSSWAY_DATA_DIR": str(folder / "elsewhere"),
        }

    def book(self, address: str) -> None:
        """Add an address to the address book that commands know, usable at once."""
        words = ["addresses", "add", BASE, address, "--name", "Chosen by the operator"]
        at_once = {"CROSSWAY_ADDRESS_DELAY_HOURS": "0", "CROSSWAY_SECOND_PERSON_ABOVE_USD": "off"}
        told = CliRunner().invoke(cli, words, env={**self.environment, **at_once})
        assert told.exit_code == 0, told.output

    def says(self, *words: str, code: int = 0) -> str:
        """What a command prints."""
        told = CliRunner().invoke(cli, ["contracts", *words], env=self.environment)
        assert told.exit_code == code, told.output
        return told.output

    def doctor(self) -> str:
        """What the doctor of a process without keys says."""
        environment = {**self.environment, "CROSSWAY_RUN_ENGINE": "false"}
        return re.sub(r" {2,}", "  ", CliRunner().invoke(cli, ["doctor"], env=environment).output)

    def coordinator_signs(self, told: str) -> None:
        """What a command printed, by the coordinator's own wallet."""
        found = re.findall(r"^  (chain id|to|value|data) +(\S+)$", told, re.MULTILINE)
        for first in range(0, len(found), 4):
            fields = dict(found[first : first + 4])
            assert (fields["value"], fields["chain id"]) == ("0", "8453")
            self.base.carry_out(fields["to"], fields["data"], COORDINATOR_KEY)

    def allow(self, *more: str) -> None:
        self.coordinator_signs(self.says("agent", "--chain", BASE, *more))
        self.live.until(lambda: bool(more) != (COORDINATOR in self.authorized()))
        self.pass_minutes(2)

    def authorized(self) -> set[str]:
        return self.live.services.chains[BASE].authorized({COORDINATOR})

    def alerts(self, kind: str) -> list[str]:
        with self.live.services.store.read() as unit:
            return [alert.message for alert in unit.alerts.list_active() if alert.kind == kind]

    def txs(self, intent: Intent, kind: OutboundTxKind | None = None) -> list[OutboundTx]:
        with self.live.services.store.read() as unit:
            return unit.outbound_txs.list_by_intents([intent.id], kind)

    def booked(self, account: Account) -> int:
        with self.live.services.store.read() as unit:
            return unit.ledger.get_balances().get((account, BASE, dollars(BASE)), 0)

    def refused_refund(self) -> Intent:
        """A payment that was not paid in full, and whose refund failed."""
        self.allow()
        self.forget_switches()
        intent = self.live.pay()
        self.base.refuse(intent.terms.refund_address)
        self.live.step()
        self.live.record_openings()
        self.live.deposit(intent, 7_000_000)
        self.live.step(3)
        self.clock.ahead += timedelta(seconds=8_000)
        self.base.rpc("evm_increaseTime", 8_000)
        self.live.until(lambda: any(t.state is OutboundTxState.FAILED for t in self.txs(intent)))
        return intent

    def forget_switches(self) -> None:
        """Another process reads them within a second; this one at once."""
        self.live.services.process.kill_switches.epoch = object()

    def refusal(self, tx: OutboundTx, *authorized: str) -> str:
        """Why the relayer must not sign this; empty where it may."""
        services, reasons = self.live.services, []
        chain = services.chains[BASE]

        def work(unit: UnitOfWork) -> None:
            intent = unit.intents.get_many([tx.intent_id])[tx.intent_id]
            call = build_outbound_call(tx, intent, chain.accounts)
            try:
                SigningPolicy(unit, services, chain, [tx], authorized).require_signable(tx, call)
            except SigningRefused as refused:
                reasons.append(str(refused))

        services.store.write(work)
        return reasons[0] if reasons else ""


@pytest.fixture
def world(tmp_path: Path, chains: dict[str, Anvil]) -> Iterator[ColdWorld]:
    made = ColdWorld(tmp_path, chains)
    yield made
    made.live.close()


def test_nothing_is_paid_in_before_the_relayer_is_an_agent_and_then_payments_work(
    world: ColdWorld,
) -> None:
    live = world.live
    assert world.says("agent", "--check", code=1).startswith(f"✗ {BASE}: {COORDINATOR} has not")
    assert f"✗ coordinator  {COORDINATOR} has not named the relayer" in world.doctor()
    live.step()
    (alert,) = world.alerts("agent")
    assert f"crossway contracts agent --chain {BASE}" in alert
    world.forget_switches()
    with pytest.raises(InvalidInput, match=f"source_chain: {BASE} takes no new payments"):
        live.pay()
    # It may still be paid out there.
    assert live.pay("elsewhere", ARBITRUM, BASE).coordinator == RELAYER
    world.allow()
    assert world.alerts("agent") == []
    assert f"✓ {BASE}: {COORDINATOR} has named" in world.says("agent", "--check")
    assert f"✓ coordinator  {COORDINATOR} has named the relayer" in world.doctor()
    world.forget_switches()
    intent = live.pay()
    assert intent.coordinator == COORDINATOR
    live.step()
    live.deposit(intent)
    live.ends(intent, State.COMPLETED)
    live.settled(intent)
    assert live.held(intent) == paid(intent)
    live.record_openings()
    assert reconcile(live.services, live.operator).sentences() == AGREE


def test_many_other_alerts_do_not_open_the_chain_again(world: ColdWorld) -> None:
    live = world.live
    live.step()

    def raise_many(unit: UnitOfWork) -> None:
        now = live.services.clock.now() + timedelta(seconds=1)
        for number in range(1_001):
            alert = Alert(f"transfer:{number}", "transfer", "1", "It failed.", now, now, None)
            unit.alerts.raise_alert(alert)

    live.services.store.write(raise_many)
    world.forget_switches()
    with pytest.raises(InvalidInput, match=f"source_chain: {BASE} takes no new payments"):
        live.pay()
    world.allow()
    world.forget_switches()
    assert live.pay().coordinator == COORDINATOR


def test_what_was_started_waits_for_an_agent_that_was_revoked(world: ColdWorld) -> None:
    live = world.live
    world.allow()
    world.forget_switches()
    intent, later = live.pay(), live.pay("later")
    live.step()
    live.record_openings()
    live.deposit(intent)
    live.ends(intent, State.INITIATED)
    world.allow("--revoke")
    live.ends(intent, State.COMPLETED)
    live.deposit(later)
    live.ends(later, State.FUNDED)
    world.pass_minutes(2)
    before = world.sent_by_us()
    world.pass_minutes(4)
    assert world.sent_by_us() == before
    (claim,) = world.txs(intent, OutboundTxKind.REIMBURSE)
    (start,) = world.txs(later, OutboundTxKind.START)
    assert claim.state is start.state is OutboundTxState.DUE
    assert (claim.attempt_count, start.attempt_count) == (0, 0)
    (alert,) = world.alerts("agent")
    assert {claim.reason, start.reason} == {alert}
    for tx in (claim, start):
        assert "not an agent of its coordinator" in world.refusal(tx)
        assert world.refusal(tx, COORDINATOR) == ""
    world.allow()
    live.ends(later, State.COMPLETED)
    live.settled(intent)
    live.settled(later)
    assert live.held(intent).escrow == sum(
        one.costs.fees_units - one.costs.service_fee_units for one in (intent, later)
    )
    assert world.alerts("agent") == []
    assert reconcile(live.services, live.operator).sentences() == AGREE


def test_a_redirected_refund_is_sent_by_the_coordinator_alone_and_booked_once(
    world: ColdWorld,
) -> None:
    live, other = world.live, made_up("another wallet of the payer")
    intent = world.refused_refund()
    # Another address may still be chosen, as nothing was sent.
    for chosen in (made_up("a mistaken wallet"), other):
        book_address(live.services, live.operator, BASE, chosen)
        manual_operations.redirect_refund(live.services, live.operator, intent.id, chosen)
        live.step()
    before = world.sent_by_us()
    world.pass_minutes(3)
    (alert,) = world.alerts("coordinator")
    assert COORDINATOR in alert
    assert other in alert
    story = get_timeline(live.services, live.operator, intent.id)
    (asked,) = story.coordinator_calls
    assert story.next_action == f"Coordinator: send the refund. {alert}"
    assert asked.call is not None
    assert (asked.coordinator, asked.to_address) == (COORDINATOR, other)
    (refund,) = world.txs(intent, OutboundTxKind.REFUND)
    assert "only its coordinator can redirect" in world.refusal(refund, COORDINATOR)
    world.base.rpc("evm_increaseTime", REDIRECT_SECONDS)
    world.base.carry_out(asked.call.contract, asked.call.data)
    world.pass_minutes(11)
    assert (world.base.balance(other), live.now(intent).state) == (0, State.EXPIRED)
    world.base.carry_out(asked.call.contract, asked.call.data, COORDINATOR_KEY)
    assert world.base.balance(other) == 7_000_000
    world.pass_minutes(11)
    assert live.now(intent).state is State.REFUNDED
    assert world.sent_by_us() == before
    assert world.booked(Account.PAYER) == world.booked(Account.HELD) == 0
    assert world.alerts("coordinator") == world.alerts("transfer") == []
    (refund,) = world.txs(intent, OutboundTxKind.REFUND)
    assert (refund.state, refund.reason) == (OutboundTxState.CANCELLED, CARRIED_OUT_BY_COORDINATOR)
    world.pass_minutes(6)
    assert live.held(intent) == given_back(0)
    assert reconcile(live.services, live.operator).sentences() == AGREE


def test_a_failed_refund_that_the_coordinator_redirects_unasked_is_booked(
    world: ColdWorld,
) -> None:
    live, other = world.live, made_up("another wallet of the payer")
    intent = world.refused_refund()
    call = refund_call(intent, BASE, dollars(BASE), COORDINATOR)
    away = replace(call, outputs=(replace(call.outputs[0], to=other),))
    public = live.services.chains[BASE].public_call(away)
    assert public is not None
    world.base.rpc("evm_increaseTime", REDIRECT_SECONDS)
    world.pass_minutes(6)
    assert live.now(intent).state is State.EXPIRED
    world.base.carry_out(public.contract, public.data, COORDINATOR_KEY)
    world.pass_minutes(11)
    assert live.now(intent).state is State.REFUNDED
    assert {tx.state for tx in world.txs(intent)} == {OutboundTxState.CANCELLED}
    assert world.alerts("transfer") == []
    assert live.held(intent) == given_back(0)
    assert reconcile(live.services, live.operator).sentences() == AGREE


def test_what_the_coordinator_withdraws_leaves_the_books_once(world: ColdWorld) -> None:
    live, own = world.live, made_up("the coordinator's own account")
    world.allow()
    world.forget_switches()
    intent = live.pay()
    live.step()
    live.record_openings()
    live.deposit(intent)
    live.ends(intent, State.COMPLETED)
    live.settled(intent)
    kept = world.base.balance(default_deployment().escrow2)
    assert world.booked(Account.SPREAD) == kept > 0
    equity = world.booked(Account.EQUITY)
    assert world.says("retained", "--chain", BASE).endswith(f" USDC for {COORDINATOR}\n")
    withdrawal = ("withdraw", "--chain", BASE, "--token", "USDC", "--to", own)
    assert "not in the address book of Base" in world.says(*withdrawal, code=1)
    world.book(own)
    told = world.says(*withdrawal)
    assert f"the coordinator {COORDINATOR} signs" in told
    before = world.sent_by_us()
    world.pass_minutes(6)
    assert world.booked(Account.SPREAD) == kept
    world.coordinator_signs(told)
    assert world.base.balance(own) == kept
    world.pass_minutes(12)
    assert world.booked(Account.SPREAD) == 0
    assert world.booked(Account.EQUITY) == equity + kept
    assert world.sent_by_us() == before
    again = live.pay("again")
    live.step()
    live.deposit(again)
    live.ends(again, State.COMPLETED)
    live.settled(again)
    world.pass_minutes(12)
    assert world.booked(Account.SPREAD) == world.base.balance(default_deployment().escrow2) > 0
    assert world.booked(Account.EQUITY) == equity + kept
    assert reconcile(live.services, live.operator).sentences() == AGREE
