"""Money that a person moves by hand: above a limit only when its amount was typed again."""

from dataclasses import replace
from pathlib import Path

import pytest

from crossway.domain.clients import insider
from crossway.domain.errors import InvalidInput
from crossway.domain.intent import Intent, State
from crossway.domain.roles import Role
from crossway.ports.sandbox import Faults
from crossway.ports.services import Services
from crossway.ports.sign_in import Vigilance
from crossway.usecases.money.confirmation import NotConfirmed, Sum, check, is_needed
from crossway.usecases.payments import processing
from tests.world import CATALOGUE, World

BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
OTTO, TESS = insider("Otto", Role.OPERATOR), insider("Tess", Role.TREASURER)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(f"sqlite:///{tmp_path / 'crossway.db'}", chains=(BASE, ARBITRUM))


def limited(world: World, usd: int) -> Services:
    vigilance = Vigilance(second_confirmation_micro_usd=usd * 1_000_000)
    return replace(world.services, pause=world.engine.tick, vigilance=vigilance)


def expired(world: World, refused: bool = False) -> Intent:
    intent = world.pay()
    if refused:
        world.sandbox.misbehave(BASE, Faults(refuse=[intent.terms.refund_address]))
    world.deposit(intent, "short")
    if refused:
        world.pass_time(4_000, 100)
        return world.now(intent)
    world.pass_time(20)
    world.hand.seconds += 3_580
    while world.now(intent).state is not State.EXPIRED:
        world.pass_time(1)
    return world.now(intent)


def test_a_refund_above_the_limit_needs_its_amount_again(world: World) -> None:
    intent, services = expired(world), limited(world, 10)
    held = f"{intent.held_units / 10**6:f}".rstrip("0")
    with pytest.raises(NotConfirmed, match=f"amount must be typed again .*: {held} USDC"):
        processing.refund(services, OTTO, intent.address)
    with pytest.raises(NotConfirmed, match="typed differently"):
        processing.refund(services, OTTO, intent.address, "12")
    assert world.now(intent).state is State.EXPIRED
    processing.refund(services, OTTO, intent.address, f" {held} USDC")
    world.until(intent, State.REFUNDED)


def test_below_the_limit_and_for_a_client_nothing_is_asked(world: World) -> None:
    first, second = expired(world), None
    processing.refund(limited(world, 1000), OTTO, first.address)
    second = expired(world)
    processing.refund(limited(world, 0), world.caller, second.address)


def test_a_redirected_refund_needs_the_amount_that_goes_elsewhere(world: World) -> None:
    intent, services = expired(world, refused=True), limited(world, 0)
    to = world.address(BASE, "elsewhere")
    with pytest.raises(NotConfirmed) as refused:
        processing.redirect_refund(services, TESS, intent.id, to)
    amount = str(refused.value).rpartition(": ")[2].removesuffix(" USDC")
    processing.redirect_refund(services, TESS, intent.id, to, amount)
    world.until(intent, State.REFUNDED)


def test_money_of_another_kind_is_asked_for_at_its_own_price(world: World) -> None:
    intent = world.pay()
    world.deposit(intent, "50000000", token=CATALOGUE.tokens[BASE, "USDT"].address)
    world.pass_time(30, 5)
    with world.store.read() as unit:
        [deposit] = unit.deposits.open_foreign()
    with pytest.raises(NotConfirmed, match=": 50 USDT"):
        processing.return_foreign(limited(world, 40), OTTO, deposit.id)
    processing.return_foreign(limited(world, 40), OTTO, deposit.id, "50")


@pytest.mark.parametrize(
    ("limit", "micro_usd", "asked"),
    [(1000, 1_000_000_000, False), (1000, 1_000_000_001, True), (0, 1, True), (1000, None, True)],
)
def test_the_limit_is_what_may_move_without_and_unknown_worth_is_above_it(
    world: World, limit: int, micro_usd: int | None, asked: bool
) -> None:
    moved = Sum(1, 6, "USDC", micro_usd)
    assert is_needed(limited(world, limit), OTTO, moved) is asked
    assert not is_needed(limited(world, limit), world.caller, moved)
    assert not is_needed(limited(world, limit), OTTO, replace(moved, units=0))


@pytest.mark.parametrize("typed", ["1200.5", "1 200.50", "1200.500 USDC", "1200.5USDC"])
def test_an_amount_is_read_as_people_write_it(world: World, typed: str) -> None:
    check(limited(world, 0), OTTO, Sum(1_200_500_000, 6, "USDC", 1), typed)


@pytest.mark.parametrize("typed", ["", "  ", "1200", "1200,5", "nan", "1200.5 USDT", "١٢٠٠", None])
def test_anything_else_is_another_amount(world: World, typed: str | None) -> None:
    with pytest.raises(InvalidInput, match="amount must be"):
        check(limited(world, 0), OTTO, Sum(1_200_500_000, 6, "USDC", 1), typed)
