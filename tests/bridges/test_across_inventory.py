"""The operator's inventory over Across, between its real pools on two chains: what is agreed to,
what is sent, and what counts as arrived."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from crossway.domain.inventory_transfer import InventoryTransferKind
from crossway.ports.inventory_bridge import (
    Agreed,
    Arrived,
    Declined,
    Pending,
    Unanswered,
)
from tests.bridges.across_chains import fill_relay, pause_pool, relay_in
from tests.bridges.across_inventory import (
    HANDLER,
    InventoryWorld,
    S,
    address,
    inventory_world,
    two_pools,
)
from tests.bridges.across_pools import pool_of
from tests.bridges.across_service import running_across
from tests.chains.anvil import RELAYER, STOCK
from tests.chains.live import ARBITRUM, BASE

DOLLARS, ETHER = 25 * 10**6, 25 * 10**18
# 1.5 basis points of the deposit and 2000 units of gas, each with a margin of a fifth, rounded up.
FEE = 6_902


@pytest.fixture
def world(tmp_path: Path) -> Iterator[InventoryWorld]:
    with (
        two_pools() as chains,
        running_across() as service,
        inventory_world(tmp_path, chains, service) as opened,
    ):
        yield opened


def test_inventory_is_deposited_exactly_and_arrives_where_our_nodes_see_it(
    world: InventoryWorld,
) -> None:
    source, to = (world.anvils[chain] for chain in (BASE, ARBITRUM))
    transfer = world.agreed()
    assert transfer.source_amount == DOLLARS + FEE
    assert world.track(transfer) == [Pending()]
    sent = world.send(transfer)
    assert source.balance(RELAYER) == STOCK - DOLLARS - FEE
    assert source.balance(pool_of(BASE)) == DOLLARS + FEE
    assert world.allowance(BASE) == 0
    (logged,) = world.deposits(BASE)
    assert logged["topics"][2] == transfer.reference
    assert world.track(sent) == [Pending()]
    filled = world.fill(sent)
    assert to.balance(RELAYER) == STOCK + DOLLARS
    assert world.track(sent) == [Arrived(filled, to.height, FEE)]
    # Also before we have seen our own transaction in a block, and long after.
    world.pass_deadline()
    for state in (S.SENDING, S.OVERDUE, S.DELIVERED):
        (arrived,) = world.track(replace(sent, state=state))
        assert isinstance(arrived, Arrived)
        assert arrived.tx_id == filled
    assert world.inventory.balances() == {}


def test_what_is_stored_says_what_was_agreed_to(world: InventoryWorld) -> None:
    transfer = world.planned()
    now = int(world.anvils[BASE].time.timestamp())
    answer = world.ask(transfer)
    assert isinstance(answer, Agreed)
    stored = json.loads(answer.agreement)
    assert int(stored.pop("depositNonce")) > 0
    assert stored == {
        "pool": pool_of(BASE),
        "depositor": RELAYER,
        "recipient": RELAYER,
        "through": "",
        "inputToken": address(BASE, "USDC"),
        "outputToken": address(ARBITRUM, "USDC"),
        "inputAmount": str(DOLLARS + FEE),
        "outputAmount": str(DOLLARS),
        "originChainId": 8453,
        "destinationChainId": 42161,
        "quoteTimestamp": now,
        "fillDeadline": now + 7_200,
        "takenUntil": now + 3_600,
    }
    assert answer.expires_at is not None
    assert answer.expires_at.timestamp() == now + 300
    # Across' two seconds, and two transactions of ours on Base, each two blocks of two seconds.
    assert answer.usual_seconds == 2 + 2 * 4
    path, asked = world.service.requests[-1]
    assert path == "/suggested-fees"
    assert (asked["amount"], asked["recipient"], asked["message"]) == (str(DOLLARS), RELAYER, "0x")


def test_wrapped_coins_stay_tokens(world: InventoryWorld) -> None:
    to, token = world.anvils[ARBITRUM], address(ARBITRUM, "WETH")
    world.service.gas, world.service.most = 10**13, 10**24
    sent, coins = world.sent(symbol="WETH"), to.coins(RELAYER)
    (logged,) = world.deposits(BASE)
    assert HANDLER[2:].lower() in logged["data"]
    filled = world.fill(sent)
    assert to.balance(RELAYER, token) == 1_000 * 10**18 + ETHER
    assert to.balance(HANDLER, token) == 0
    assert to.coins(RELAYER) == coins
    (arrived,) = world.track(sent)
    assert isinstance(arrived, Arrived)
    assert arrived.tx_id == filled
    asked = world.service.requests[-1][1]
    assert asked["recipient"] == HANDLER
    assert RELAYER[2:].lower() in asked["message"]


def test_without_the_handler_the_pool_would_pay_coins(world: InventoryWorld) -> None:
    """Why wrapped coins go through it; and nothing is agreed to where it is not there."""
    source, to = (world.anvils[chain] for chain in (BASE, ARBITRUM))
    world.service.gas, world.service.most = 10**13, 10**24
    sent, coins = world.sent(symbol="WETH"), to.coins(RELAYER)
    relay = list(relay_in(source, sent.source_tx))
    relay[1], relay[-1] = relay[0], b""
    assert fill_relay(to, source, tuple(relay))
    assert to.coins(RELAYER) == coins + ETHER
    assert world.track(sent) == [Pending()]
    to.rpc("anvil_setCode", HANDLER, "0x")
    answer = world.ask(world.planned(symbol="WETH"))
    # What was there is believed to stay: contracts without an owner do.
    assert isinstance(answer, Agreed)


def test_wrapped_coins_are_not_sent_where_the_handler_is_not(world: InventoryWorld) -> None:
    world.service.gas, world.service.most = 10**13, 10**24
    world.anvils[ARBITRUM].rpc("anvil_setCode", HANDLER, "0x")
    answer = world.ask(world.planned(symbol="WETH"))
    assert answer == Unanswered("Across would pay WETH on Arbitrum One out unwrapped.")


def test_what_across_does_not_carry_is_declined(world: InventoryWorld) -> None:
    for wrong in (
        world.planned(kind=InventoryTransferKind.DEPOSIT),
        world.planned(destination_chain="OPTIMISM_MAINNET"),
        world.planned(destination_token=address(ARBITRUM, "USDT")),
        world.planned(destination_token=address(ARBITRUM, "WETH")),
        world.planned(source_token="0x" + "00" * 20),
    ):
        assert isinstance(world.ask(wrong), Declined)
    assert world.service.requests == []


def test_a_paused_pool_and_an_old_price_are_waited_for(world: InventoryWorld) -> None:
    pause_pool(world.anvils[BASE], paused=True)
    answer = world.ask(world.planned())
    assert answer == Unanswered("Across' pool on Base takes no deposits at present.")
    pause_pool(world.anvils[BASE], paused=False)
    world.service.lag_seconds = 3_541
    assert world.ask(world.planned()) == Unanswered("Across' price is too old to be used.")
    # One that is ahead counts from the newest block, which the pool measures by.
    world.service.lag_seconds = -1_000
    sent = world.sent()
    assert len(world.deposits(BASE)) == 1
    assert world.track(sent) == [Pending()]


def test_whom_it_pays_is_never_taken_from_what_is_stored(world: InventoryWorld) -> None:
    agreed = world.agreed()
    stored = json.loads(agreed.agreement)
    calls = world.inventory.invocations(agreed)
    somebody = "0x000000000000000000000000000000000000c0dE"
    for name, value in (
        ("pool", somebody),
        ("recipient", somebody),
        ("depositor", somebody),
        ("outputAmount", "1"),
        ("inputAmount", "99000000"),
        ("destinationChainId", 10),
    ):
        other = replace(agreed, agreement=json.dumps({**stored, name: value}).encode())
        assert world.inventory.invocations(other) == calls
    through = json.dumps({**stored, "through": somebody}).encode()
    for call in world.inventory.invocations(replace(agreed, agreement=through)):
        assert bytes.fromhex(somebody[2:]) not in call.data
    for unreadable in (b"{}", b"[]", b"nothing"):
        assert isinstance(world.track(replace(agreed, agreement=unreadable))[0], Unanswered)
    again = world.inventory.invocations(replace(agreed, attempt=2))
    assert [call.to for call in again] == [*2 * [address(BASE, "USDC")], pool_of(BASE)]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"capital": 4 * 10**17}, "which is more than we pay."),
        ({"capital": 10**18 - 10**14}, "asks for all of the deposit."),
        ({"gas": 11 * 10**6}, "which is more than we pay."),
        ({"least": 26 * 10**6}, "Across takes at least 26 USDC now."),
        ({"most": 10**6}, "Across takes at most 1 USDC now."),
        (
            {"spoke_pool": "0x000000000000000000000000000000000000c0dE"},
            "names another pool on Base",
        ),
        ({"spoke_pool": "a pool"}, "names another pool on Base"),
        ({"error": {"code": "ROUTE_NOT_ENABLED", "message": "No such route"}}, "No such route."),
        ({"silent": True}, "Across did not respond"),
    ],
)
def test_a_price_that_is_not_ours_to_pay_is_not_agreed_to(
    changes: dict[str, object], words: str, world: InventoryWorld
) -> None:
    for name, value in changes.items():
        setattr(world.service, name, value)
    answer = world.ask(world.planned())
    assert isinstance(answer, Unanswered)
    assert words in answer.reason, answer
