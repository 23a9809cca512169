"""Manual transfers above a limit require the amount to be typed again."""

from dataclasses import replace
from pathlib import Path

import pytest

from crossway.domain.clients import staff_principal
from crossway.domain.errors import InvalidInput
from crossway.domain.intent import Intent, State
from crossway.domain.roles import Role
from crossway.ports.policy import SessionPolicy
from crossway.ports.sandbox import Faults
from crossway.ports.services import Services
from crossway.usecases.money.amount_confirmation import (
    AmountNotConfirmed,
    TransferAmount,
    is_required,
    require_confirmation,
)
from crossway.usecases.payments import manual_operations, manual_refunds
from tests.harness import CATALOGUE, Harness

BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
OTTO, TESS = staff_principal("Otto", Role.OPERATOR), staff_principal("Tess", Role.TREASURER)


@pytest.fixture
def world(tmp_path: Path) -> Harness:
    return Harness(f"sqlite:///{tmp_path / 'crossway.db'}", chains=(BASE, ARBITRUM))


def with_confirmation_limit(world: Harness, usd: int) -> Services:
    vigilance = SessionPolicy(second_confirmation_micro_usd=usd * 1_000_000)
    return replace(
        world.services,
        policy=replace(world.services.policy, sessions=vigilance),
        process=replace(world.services.process, pause=world.engine.tick),
    )


def create_expired_intent(world: Harness, refused: bool = False) -> Intent:
    intent = world.create_intent()
    if refused:
        world.sandbox.inject_faults(BASE, Faults(refuse=[intent.terms.refund_address]))
    world.deposit(intent, "short")
    if refused:
        world.pass_time(4_000, 100)
        return world.reload(intent)
    world.pass_time(20)
    world.machine.seconds += 3_580
    while world.reload(intent).state is not State.EXPIRED:
        world.pass_time(1)
    return world.reload(intent)


def test_a_refund_above_the_limit_needs_confirmation(world: Harness) -> None:
    intent, services = create_expired_intent(world), with_confirmation_limit(world, 10)
    balance = f"{intent.balance_at_address / 10**6:f}".rstrip("0")
    with pytest.raises(AmountNotConfirmed, match=f"amount must be typed again .*: {balance} USDC"):
        manual_refunds.refund(services, OTTO, intent.address)
    with pytest.raises(AmountNotConfirmed, match="a different amount was typed"):
        manual_refunds.refund(services, OTTO, intent.address, "12")
    assert world.reload(intent).state is State.EXPIRED
    manual_refunds.refund(services, OTTO, intent.address, f" {balance} USDC")
    world.wait_for_state(intent, State.REFUNDED)


def test_no_confirmation_is_needed_below_the_limit_or_for_clients(world: Harness) -> None:
    first, second = create_expired_intent(world), None
    manual_refunds.refund(with_confirmation_limit(world, 1000), OTTO, first.address)
    second = create_expired_intent(world)
    manual_refunds.refund(with_confirmation_limit(world, 0), world.caller, second.address)


def test_a_redirected_refund_needs_its_amount_confirmed(world: Harness) -> None:
    intent, services = create_expired_intent(world, refused=True), with_confirmation_limit(world, 0)
    to = world.wallet(BASE, "elsewhere")
    with pytest.raises(InvalidInput, match=r"^address is the deposit address of a payment; give"):
        manual_operations.redirect_refund(services, TESS, intent.id, intent.address)
    with pytest.raises(AmountNotConfirmed) as refused:
        manual_operations.redirect_refund(services, TESS, intent.id, to)
    world.book_address(BASE, to)
    amount = str(refused.value).rpartition(": ")[2].removesuffix(" USDC")
    manual_operations.redirect_refund(services, TESS, intent.id, to, amount)
    world.wait_for_state(intent, State.REFUNDED)


def test_an_unexpected_deposit_is_valued_at_its_own_price(world: Harness) -> None:
    intent = world.create_intent()
    world.deposit(intent, "50000000", token=CATALOGUE.tokens[BASE, "USDT"].address)
    world.pass_time(30, 5)
    with world.store.read() as unit:
        [deposit] = unit.deposits.list_by_intents([intent.id])
    with pytest.raises(AmountNotConfirmed, match=": 50 USDT"):
        manual_operations.return_deposit(with_confirmation_limit(world, 40), OTTO, deposit.id)
    manual_operations.return_deposit(with_confirmation_limit(world, 40), OTTO, deposit.id, "50")


@pytest.mark.parametrize(
    ("limit", "micro_usd", "asked"),
    [(1000, 1_000_000_000, False), (1000, 1_000_000_001, True), (0, 1, True), (1000, None, True)],
)
def test_the_limit_is_inclusive_and_unknown_value_exceeds_it(
    world: Harness, limit: int, micro_usd: int | None, asked: bool
) -> None:
    moved = TransferAmount(1, 6, "USDC", micro_usd)
    assert is_required(with_confirmation_limit(world, limit), OTTO, moved) is asked
    assert not is_required(with_confirmation_limit(world, limit), world.caller, moved)
    assert not is_required(with_confirmation_limit(world, limit), OTTO, replace(moved, amount=0))


@pytest.mark.parametrize("typed", ["1200.5", "1 200.50", "1200.500 USDC", "1200.5USDC"])
def test_common_spellings_of_the_amount_are_accepted(world: Harness, typed: str) -> None:
    require_confirmation(
        with_confirmation_limit(world, 0), OTTO, TransferAmount(1_200_500_000, 6, "USDC", 1), typed
    )


@pytest.mark.parametrize("typed", ["", "  ", "1200", "1200,5", "nan", "1200.5 USDT", "١٢٠٠", None])
def test_other_input_is_rejected(world: Harness, typed: str | None) -> None:
    with pytest.raises(InvalidInput, match="amount must be"):
        require_confirmation(
            with_confirmation_limit(world, 0),
            OTTO,
            TransferAmount(1_200_500_000, 6, "USDC", 1),
            typed,
        )
