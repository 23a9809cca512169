"""What we do not send back waits as a claim; anyone may carry it out, and the books follow."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crossway.adapters.chains.simulated.chain import SimulatedChain
from crossway.domain.errors import InvalidStatus, Unreachable
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import Account
from crossway.domain.outbound import SWEEP_KINDS, OutboundTx, OutboundTxKind, OutboundTxState
from crossway.domain.outbound_call import OutboundCall
from crossway.engine.claim_watcher import ClaimWatcher
from crossway.ports.chain import TxStatus, TxUnknown
from crossway.ports.chain_calls import PublicCall
from crossway.ports.sandbox import Faults
from crossway.usecases.payments.claims import CARRIED_OUT, ClaimKind, PayerClaim, list_claims
from crossway.usecases.payments.manual_operations import return_deposit
from crossway.usecases.payments.manual_refunds import refund
from tests.harness import CATALOGUE, Harness
from tests.invariants import check_invariants, nothing_outstanding

BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
USDC, USDT = (CATALOGUE.tokens[BASE, symbol].address for symbol in ("USDC", "USDT"))
CENT = 10_000  # Of USDC: what a return costs on Base.


@pytest.fixture
def worlds(tmp_path: Path) -> Iterator[Callable[..., Harness]]:
    built: list[Harness] = []

    def build(**policy: Any) -> Harness:
        url = f"sqlite:///{tmp_path / f'{len(built)}.db'}"
        built.append(Harness(url, chains=[BASE, ARBITRUM], **policy))
        return built[-1]

    yield build
    for world in built:
        world.store.close()


def claims(world: Harness, intent: Intent) -> list[PayerClaim]:
    with world.store.read() as unit:
        return list_claims(world.services, unit, world.reload(intent))


def expired_with(world: Harness, amount: int, token: str = USDC) -> Intent:
    intent = world.create_intent()
    world.sandbox.deposit(BASE, intent.address, token, amount)
    world.pass_time(20)
    world.pass_time(3_700, 300)
    world.pass_time(30)
    return world.reload(intent)


def refund_by_stranger(world: Harness, intent: Intent, token: str = USDC) -> None:
    world.sandbox.refund_by_stranger(BASE, intent.address, token, intent.terms.refund_address)


def refunded(world: Harness, intent: Intent, token: str = USDC) -> int:
    to = intent.terms.refund_address
    return world.services.chains[BASE].balances([to], token)[to]


def booked(world: Harness, intent: Intent) -> list[tuple[Account, Account, int]]:
    with world.store.read() as unit:
        return [(p.debit, p.credit, p.amount) for _, p in unit.ledger.list_by_intent(intent.id)]


def test_dust_is_a_claim_that_is_booked_once_somebody_has_carried_it_out(
    worlds: Callable[..., Harness],
) -> None:
    world = worlds()
    intent = expired_with(world, CENT - 1)
    assert intent.state is State.EXPIRED
    expires_at = intent.terms.expires_at
    assert claims(world, intent) == [
        PayerClaim(BASE, USDC, CENT - 1, ClaimKind.DUST, expires_at, None)
    ]
    refund_by_stranger(world, intent)
    world.pass_time(900, 30)
    assert world.reload(intent).state is State.REFUNDED
    assert claims(world, intent) == []
    assert (refunded(world, intent), booked(world, intent)) == (
        CENT - 1,
        [
            (Account.HELD, Account.PAYER, CENT - 1),
            (Account.DUST, Account.HELD, CENT - 1),
            (Account.PAYER, Account.DUST, CENT - 1),
        ],
    )
    with world.store.read() as unit:
        notes = [t.note for t in unit.intents.list_transitions([intent.id])]
    assert notes[-1] == CARRIED_OUT
    check_invariants(world)


def test_dust_of_another_token_changes_the_books_and_not_the_payment(
    worlds: Callable[..., Harness],
) -> None:
    world = worlds()
    intent = expired_with(world, CENT // 2, USDT)
    assert claims(world, intent) == [PayerClaim(BASE, USDT, CENT // 2, ClaimKind.DUST, None, None)]
    refund_by_stranger(world, intent, USDT)
    world.pass_time(900, 30)
    assert (world.reload(intent).state, claims(world, intent)) == (State.EXPIRED, [])
    assert refunded(world, intent, USDT) == CENT // 2
    check_invariants(world)


def test_what_a_reorg_takes_out_of_the_chain_again_is_not_booked(
    worlds: Callable[..., Harness],
) -> None:
    world = worlds()
    intent = expired_with(world, CENT // 2)
    watcher, chain = ClaimWatcher(world.services), world.services.chains[BASE]
    refund_by_stranger(world, intent)
    assert watcher.check({BASE: chain.heads()}) == 0
    world.sandbox.inject_faults(BASE, Faults(reorg_depth=4, drop_next=1))
    assert refunded(world, intent) == 0
    world.pass_time(900, 30)
    assert watcher.check({BASE: chain.heads()}) == 0
    assert (world.reload(intent).state, len(claims(world, intent))) == (State.EXPIRED, 1)
    check_invariants(world)


def test_a_refund_without_an_allowance_waits_as_a_claim_and_goes_out_as_it_refills(
    worlds: Callable[..., Harness],
) -> None:
    # A tenth of a return an hour.
    world = worlds(return_allowance_micro_usd=24_000)
    first, second, third = (world.create_intent() for _ in range(3))
    for intent in (first, second, third):
        world.sandbox.deposit(BASE, intent.address, USDC, 100 * CENT)
    world.pass_time(20)
    world.pass_time(3_700, 300)
    world.pass_time(60)
    states = [world.reload(intent).state for intent in (first, second, third)]
    assert states == [State.REFUNDED, State.REFUNDED, State.EXPIRED]
    (claim,) = claims(world, third)
    assert (claim.kind, claim.amount) == (ClaimKind.LIMIT, 100 * CENT)
    with world.store.read() as unit:
        (alert,) = unit.alerts.list_active()
        (tx,) = unit.outbound_txs.list_by_intents([third.id], OutboundTxKind.REFUND)
    assert (alert.key, alert.kind, alert.message) == ("returns:BASE_MAINNET", "returns", tx.reason)
    assert tx.reason == (
        "Refunds and returns on Base have used up what fees brought for them and their daily "
        "allowance. They go on as it refills. Anyone may return the money on chain."
    )
    world.pass_time(10 * 3_600, 900)
    while not nothing_outstanding(world):
        world.pass_time(5)
    assert world.reload(third).state is State.REFUNDED
    assert [refunded(world, intent) for intent in (third,)] == [300 * CENT]
    check_invariants(world)


def test_an_operator_does_not_wait_for_the_allowance(worlds: Callable[..., Harness]) -> None:
    world = worlds(return_allowance_micro_usd=0)
    intent = expired_with(world, 100 * CENT)
    assert intent.state is State.EXPIRED
    process = replace(world.services.process, pause=world.engine.tick)
    tx_id = refund(replace(world.services, process=process), world.operator, intent.address)
    with world.store.read() as unit:
        (tx,) = unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.REFUND)
    assert (tx.tx_id, tx.state) == (tx_id, OutboundTxState.SIGNED)
    world.wait_for_state(intent, State.REFUNDED)


def test_a_merchants_key_draws_no_more_than_allowed(worlds: Callable[..., Harness]) -> None:
    """A stolen key could otherwise have us pay for a refund with every request."""
    world = worlds(return_allowance_micro_usd=0)
    process = replace(world.services.process, pause=world.engine.tick)
    services = replace(world.services, process=process)
    for intent in [expired_with(world, 100 * CENT) for _ in range(3)]:
        for _ in range(2):
            with pytest.raises(InvalidStatus, match=r"^Not refunded now: .* used up .* Anyone may"):
                refund(services, world.caller, intent.address)
        with world.store.read() as unit:
            (tx,) = unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.REFUND)
        assert (tx.state, tx.tx_id) == (OutboundTxState.DUE, None)
        assert [claim.kind for claim in claims(world, intent)] == [ClaimKind.LIMIT]
    with pytest.raises(InvalidStatus, match="Nothing to refund"):
        refund(services, world.caller, expired_with(world, CENT // 2).address)
    check_invariants(world)


def test_a_refund_that_somebody_else_carried_out_first_is_booked_as_done(
    worlds: Callable[..., Harness],
) -> None:
    world = worlds(return_allowance_micro_usd=24_000)
    intents = [world.create_intent() for _ in range(3)]
    for intent in intents:
        world.sandbox.deposit(BASE, intent.address, USDC, 100 * CENT)
    world.pass_time(20)
    world.pass_time(3_700, 300)
    world.pass_time(60)
    (waiting,) = (i for i in intents if world.reload(i).state is State.EXPIRED)
    refund_by_stranger(world, waiting)
    world.pass_time(10 * 3_600, 900)
    while not nothing_outstanding(world):
        world.pass_time(5)
    assert world.reload(waiting).state is State.REFUNDED
    assert refunded(world, waiting) == 300 * CENT
    check_invariants(world)


def sweeps_of(world: Harness, intent: Intent) -> list[OutboundTx]:
    with world.store.read() as unit:
        txs = unit.outbound_txs.list_by_intents([intent.id])
    return [tx for tx in txs if tx.kind in SWEEP_KINDS]


def test_a_refund_that_waits_is_booked_once_somebody_has_carried_it_out_and_never_sent(
    worlds: Callable[..., Harness],
) -> None:
    world = worlds(return_allowance_micro_usd=0)
    intent = expired_with(world, 100 * CENT)
    assert [(c.kind, c.amount) for c in claims(world, intent)] == [(ClaimKind.LIMIT, 100 * CENT)]
    refund_by_stranger(world, intent)
    world.pass_time(900, 30)
    assert world.reload(intent).state is State.REFUNDED
    assert (claims(world, intent), world.reload(intent).balance_at_address) == ([], 0)
    (sweep,) = sweeps_of(world, intent)
    assert (sweep.state, sweep.tx_id, sweep.reason) == (
        OutboundTxState.CANCELLED,
        None,
        CARRIED_OUT,
    )
    assert booked(world, intent) == [
        (Account.HELD, Account.PAYER, 100 * CENT),
        (Account.PAYER, Account.HELD, 100 * CENT),
    ]
    check_invariants(world)


def test_another_token_that_waits_is_booked_once_somebody_has_carried_it_out(
    worlds: Callable[..., Harness],
) -> None:
    world = worlds(return_allowance_micro_usd=0)
    intent = expired_with(world, 100 * CENT, USDT)
    assert [(c.token, c.amount) for c in claims(world, intent)] == [(USDT, 100 * CENT)]
    refund_by_stranger(world, intent, USDT)
    world.pass_time(900, 30)
    assert (world.reload(intent).state, claims(world, intent)) == (State.EXPIRED, [])
    (sweep,) = sweeps_of(world, intent)
    assert (sweep.state, sweep.tx_id) == (OutboundTxState.CANCELLED, None)
    with world.store.read() as unit:
        (deposit,) = unit.deposits.list_by_intents([intent.id])
        assert not unit.deposits.is_unreturned(deposit.id)
    check_invariants(world)


def test_what_comes_after_a_stranger_refunded_waits_as_a_claim_of_its_own(
    worlds: Callable[..., Harness],
) -> None:
    world = worlds(return_allowance_micro_usd=0)
    intent = expired_with(world, 100 * CENT)
    refund_by_stranger(world, intent)
    world.sandbox.deposit(BASE, intent.address, USDC, 30 * CENT)
    world.pass_time(900, 30)
    assert [c.amount for c in claims(world, intent)] == [30 * CENT]
    refund_by_stranger(world, intent)
    world.pass_time(900, 30)
    assert (claims(world, intent), refunded(world, intent)) == ([], 130 * CENT)
    assert world.reload(intent).state is State.REFUNDED
    check_invariants(world)


def test_dust_beyond_a_page_of_one_payment_is_looked_at(worlds: Callable[..., Harness]) -> None:
    world = worlds()
    intent = expired_with(world, CENT // 2)
    world.sandbox.deposit(BASE, intent.address, USDT, CENT // 2)
    world.pass_time(60)
    with world.store.read() as unit:
        both = unit.ledger.list_claimable(BASE, intent.id, 2)
        assert {balance.token for balance in both} == {USDC, USDT}
        # A page may end within a payment; the next one begins with it.
        (one,) = unit.ledger.list_claimable(BASE, intent.id, 1)
        assert unit.ledger.list_claimable(BASE, one.intent_id, 2) == both
        assert unit.ledger.list_claimable(BASE, one.intent_id + 1, 2) == []


class StartedChain(SimulatedChain):
    """Tells that whatever it is asked about was executed."""

    def executed(self, markers: Collection[str]) -> set[str]:
        return set(markers)


def test_what_a_start_may_have_taken_is_not_booked_as_returned(
    worlds: Callable[..., Harness],
) -> None:
    world = worlds()
    intent = expired_with(world, CENT // 2)
    assert isinstance(world.services.chains, dict)
    world.services.chains[BASE] = StartedChain(world.network, BASE)
    refund_by_stranger(world, intent)
    world.pass_time(1_800, 60)
    assert (world.reload(intent).state, len(claims(world, intent))) == (State.EXPIRED, 1)


def test_a_deposit_that_a_reorg_took_away_was_returned_by_nobody(
    worlds: Callable[..., Harness],
) -> None:
    for allowance, amount in ((0, 100 * CENT), (50_000_000, CENT // 2)):
        world = worlds(return_allowance_micro_usd=allowance)
        intent = world.create_intent()
        world.pass_time(3_700, 300)
        world.sandbox.deposit(BASE, intent.address, USDC, amount)
        while not claims(world, intent):
            world.pass_time(1)
        world.sandbox.inject_faults(BASE, Faults(reorg_depth=6, drop_next=1))
        on_chain = world.services.chains[BASE].balances([intent.address], USDC)
        assert on_chain == {intent.address: 0}
        world.pass_time(1_800, 30)
        with world.store.read() as unit:
            notes = [t.note for t in unit.intents.list_transitions([intent.id])]
        assert CARRIED_OUT not in notes
        assert (world.reload(intent).state, claims(world, intent)) == (State.EXPIRED, [])
        check_invariants(world)


class ReplacedContracts(SimulatedChain):
    """Its contracts are others than those that the payment was created with."""

    def public_call(self, call: OutboundCall) -> PublicCall | None:
        raise ValueError(f"{call.outputs[0].source} is no deposit address of the contracts in use")


def test_a_claim_of_earlier_contracts_is_shown_without_a_call(
    worlds: Callable[..., Harness],
) -> None:
    world = worlds()
    intent = expired_with(world, CENT // 2)
    assert isinstance(world.services.chains, dict)
    world.services.chains[BASE] = ReplacedContracts(world.network, BASE)
    (claim,) = claims(world, intent)
    assert (claim.amount, claim.call) == (CENT // 2, None)


class SilentChain(SimulatedChain):
    """Tells nothing of transactions: its nodes contradict each other on each."""

    def status(self, tx_ids: Collection[str]) -> Mapping[str, TxStatus]:
        return dict.fromkeys(tx_ids, TxUnknown())


def test_what_our_own_refund_took_is_booked_once(worlds: Callable[..., Harness]) -> None:
    world = worlds()
    intent = expired_with(world, CENT // 2)
    assert isinstance(world.services.chains, dict)
    world.services.chains[BASE] = SilentChain(world.network, BASE)
    world.sandbox.deposit(BASE, intent.address, USDC, 100 * CENT)
    world.pass_time(1_800, 30)
    assert refunded(world, intent) == 100 * CENT + CENT // 2
    assert world.reload(intent).state is State.EXPIRED
    world.services.chains[BASE] = SimulatedChain(world.network, BASE)
    world.pass_time(900, 30)
    check_invariants(world)
    taken = [p for p in booked(world, intent) if p[0] is Account.PAYER]
    assert sum(amount for _, _, amount in taken) == 100 * CENT + CENT // 2


def test_a_refund_that_is_asked_for_again_and_again_pays_for_no_other(
    worlds: Callable[..., Harness],
) -> None:
    world = worlds(return_allowance_micro_usd=0)
    asked_for, other = (expired_with(world, 100 * CENT) for _ in range(2))

    def wait_in_vain() -> None:
        world.machine.seconds += 11

    process = replace(world.services.process, pause=wait_in_vain)
    for _ in range(20):
        with pytest.raises(Unreachable):
            refund(replace(world.services, process=process), world.operator, asked_for.address)
    world.pass_time(900, 30)
    assert world.reload(asked_for).state is State.REFUNDED
    assert world.reload(other).state is State.EXPIRED
    check_invariants(world)


def test_a_return_that_is_asked_for_does_not_wait_and_pays_for_no_other(
    worlds: Callable[..., Harness],
) -> None:
    world = worlds(return_allowance_micro_usd=0)
    asked_for, other = (expired_with(world, 100 * CENT, USDT) for _ in range(2))
    with world.store.read() as unit:
        (deposit,) = unit.deposits.list_by_intents([asked_for.id])
    for _ in range(20):
        return_deposit(world.services, world.operator, deposit.id)
    world.pass_time(30)
    assert refunded(world, asked_for, USDT) == 100 * CENT
    world.pass_time(900, 30)
    assert [t.state for t in sweeps_of(world, other)] == [OutboundTxState.DUE]
    check_invariants(world)
