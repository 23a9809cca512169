"""Payments whose start swaps the payer's token on the real Uniswap v3 before CCTP carries it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from crossway.domain.bridge_transfer import Custody
from crossway.domain.errors import InvalidInput
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import Account
from crossway.domain.outbound import OutboundTxKind
from crossway.usecases.money.reconciliation import reconcile
from crossway.usecases.payments.self_service import CallName, get_self_service
from tests.bridges.cctp_chains import SWAP_FAST, CctpWorld, attesting, two_cctp_chains
from tests.bridges.uniswap import WRAPPED, path, pool_of, put_pool, put_uniswap, sell
from tests.chains.anvil import Anvil, dollars
from tests.chains.live import ARBITRUM, BASE
from tests.harness import CATALOGUE, PRICES

ETH = CATALOGUE.tokens[BASE, "ETH"].address
DAI = CATALOGUE.tokens[BASE, "DAI"].address
WETH = WRAPPED[BASE]
AMOUNT = 25_000_000
# Dollars of one ether, as the service's prices have it.
ETHER = PRICES["ETH"] // 10**6


@pytest.fixture
def world(tmp_path: Path) -> Iterator[CctpWorld]:
    """A service on two chains; on Base one may buy a million dollars with ether."""
    with two_cctp_chains() as chains, attesting(chains) as service:
        put_uniswap(chains[BASE])
        put_pool(chains[BASE], market(1_000_000 * 10**6), fee=500)
        made = CctpWorld(tmp_path, chains, service)
        made.step()
        made.record_openings()
        yield made
        made.close()


def market(dollar_units: int) -> dict[str, int]:
    """So many units of USDC, and as much of wrapped ether by value."""
    return {dollars(BASE): dollar_units, WETH: dollar_units * 10**18 // ETHER}


def pool(world: CctpWorld) -> str:
    return pool_of(world.anvils[BASE], dollars(BASE), WETH, 500)


def wallet_coins(one: Anvil, address: str) -> int:
    return int(one.rpc("eth_getBalance", address, "latest"), 16)


def test_ether_is_swapped_and_the_recipient_is_paid_exactly(world: CctpWorld) -> None:
    intent = world.pay(token_in=ETH)
    swap = intent.swap
    assert swap is not None
    assert (intent.custody, intent.bridger) == (Custody.BRIDGE, SWAP_FAST)
    assert (swap.exchange, swap.symbol) == ("Uniswap v3", "USDC")
    world.deposit(intent, token=ETH)
    world.ends(intent, State.COMPLETED)
    to, source = world.anvils[ARBITRUM], world.anvils[BASE]
    assert to.balance(intent.terms.recipient) == AMOUNT
    with world.services.store.read() as unit:
        balances = unit.ledger.get_balances()
    spent = balances[Account.EXCHANGED, BASE, ETH]
    # A pool of 0.05 % in which 25 dollars of a million move the price by some 0.005 %.
    fair = swap.output * 10**18 // ETHER
    assert fair * 10_005 // 10_000 < spent < fair * 10_007 // 10_000
    assert wallet_coins(source, intent.terms.refund_address) == intent.terms.deposit_amount - spent
    assert wallet_coins(source, intent.address) == 0
    world.settled(intent)
    assert reconcile(world.services, world.operator).sentences() == [
        "The books and the chains agree."
    ]


def test_a_price_that_moved_too_far_leaves_the_deposit_refundable(world: CctpWorld) -> None:
    intent = world.pay(token_in=ETH)
    market_pool, one = pool(world), world.anvils[BASE]
    sell(one, market_pool, WETH, 10**18 * 5)
    world.deposit(intent, token=ETH)
    world.step(6)
    assert "more of the token than was deposited" in why_not_started(world, intent)
    assert world.now(intent).state is State.FUNDED
    # It is tried again once the price is back.
    sell(one, market_pool, dollars(BASE), 5 * ETHER)
    world.ends(intent, State.COMPLETED)
    assert world.anvils[ARBITRUM].balance(intent.terms.recipient) == AMOUNT


def test_a_token_with_a_pool_of_the_coin_alone_is_swapped_through_two_pools(
    world: CctpWorld,
) -> None:
    one = world.anvils[BASE]
    one.put_token(DAI, units=10**24)
    put_pool(one, {DAI: 10**18 * 1_000_000, WETH: 10**36 * 1_000_000 // (ETHER * 10**12)}, fee=500)
    intent = world.pay(token_in=DAI)
    swap = intent.swap
    assert swap is not None
    # Dollars, half a thousandth's pool, ether, the same, and the payer's token.
    assert swap.route == "0x" + path(dollars(BASE), 500, WETH, 500, DAI).hex()
    world.deposit(intent, token=DAI)
    world.ends(intent, State.COMPLETED)
    assert world.anvils[ARBITRUM].balance(intent.terms.recipient) == AMOUNT
    with world.services.store.read() as unit:
        spent = unit.ledger.get_balances()[Account.EXCHANGED, BASE, DAI]
    back = one.balance(intent.terms.refund_address, DAI)
    assert back == intent.terms.deposit_amount - spent > 0


def test_change_that_the_refund_address_refuses_waits_for_it_at_the_deposit_address(
    world: CctpWorld,
) -> None:
    intent = world.pay(token_in=ETH, amount=str(2_500 * 10**6))
    one, refund = world.anvils[BASE], intent.terms.refund_address
    one.refuse(refund, ETH)
    world.deposit(intent, token=ETH)
    world.ends(intent, State.COMPLETED)
    world.step(6)
    change = wallet_coins(one, intent.address)
    assert change > 0
    with world.services.store.read() as unit:
        assert unit.ledger.get_balances()[Account.HELD, BASE, ETH] == change
        [tx] = unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.RETURN_EXCESS)
    assert tx.reason == "the receiver or the token refuses this transfer"
    world.settled(intent)
    assert reconcile(world.services, world.operator).sentences() == [
        "The books and the chains agree."
    ]


def test_only_agents_swap_so_no_call_for_it_is_handed_to_payers(world: CctpWorld) -> None:
    intent = world.pay(token_in=ETH)
    kept = get_self_service(world.services, intent)
    names = [call.name for call in kept.calls]
    assert CallName.SEND not in names
    assert {CallName.GIVE_BACK, CallName.REFUND, CallName.DELIVER} <= set(names)
    assert kept.terms


def test_a_token_without_a_pool_is_not_offered(world: CctpWorld) -> None:
    with pytest.raises(InvalidInput, match="Uniswap v3 has no pool that sells USDC for LINK"):
        world.pay(token_in=CATALOGUE.tokens[BASE, "LINK"].address)


def test_a_swap_that_is_too_large_for_its_pool_is_not_offered(world: CctpWorld) -> None:
    with pytest.raises(InvalidInput, match="more than 3% beyond the value"):
        world.pay(token_in=ETH, amount=str(100_000 * 10**6))


def why_not_started(world: CctpWorld, intent: Intent) -> str:
    with world.services.store.read() as unit:
        [start] = unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.START)
    return start.reason
