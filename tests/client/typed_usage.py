"""What users' type checkers see of both clients; `test_typing` runs mypy on this module."""

from collections.abc import AsyncIterator, Iterator
from decimal import Decimal
from typing import assert_type

from crossway_client import (
    AsyncCrossway,
    Crossway,
    Event,
    Intent,
    IntentEvent,
    Quote,
    RampOrder,
    Webhook,
    verify_webhook,
)
from crossway_client.records.chains import Balances, ClientInfo, Token
from crossway_client.records.expanded import ExpandedIntent


def synchronous(crossway: Crossway) -> None:
    """The synchronous client returns results and iterators."""
    assert_type(crossway.intents.get(1), ExpandedIntent)
    assert_type(crossway.intents.get("0xabc").amount_to_deposit, Decimal)
    assert_type(crossway.intents.get(1).total_amount_in_asset_token, int)
    assert_type(crossway.intents.list(status="completed"), Iterator[ExpandedIntent])
    assert_type(crossway.chains.balances("0xabc"), Balances)
    assert_type(crossway.chains.all_tokens(), dict[str, list[Token]])
    assert_type(crossway.client_info(), ClientInfo)
    assert_type(crossway.ramp_orders.confirm(1), RampOrder)
    assert_type(crossway.webhooks.create("https://shop.example/"), Webhook)
    assert_type(crossway.events.stream(), Iterator[Event])
    with Crossway("cr_test_x") as another:
        assert_type(another, Crossway)


async def asynchronous(crossway: AsyncCrossway) -> None:
    """The asynchronous client returns awaitables and asynchronous iterators."""
    assert_type(await crossway.intents.get(1), ExpandedIntent)
    assert_type(crossway.intents.list(), AsyncIterator[ExpandedIntent])
    assert_type([quote async for quote in crossway.intents.watch(1)], list[ExpandedIntent])
    assert_type(await crossway.client_info(), ClientInfo)
    async with AsyncCrossway("cr_test_x") as another:
        assert_type(another, AsyncCrossway)
    route = {"source_chain": "BASE_MAINNET", "destination_chain": "ARBITRUM_MAINNET"}
    best = await crossway.quotes.best(token_in="0x1", token_out="0x2", amount=1, **route)
    assert_type(best, Quote)


def received(body: bytes, headers: dict[str, str]) -> Intent | None:
    """An event's class tells its resource."""
    event = verify_webhook(body, headers, "whsec_x")
    return event.intent if isinstance(event, IntentEvent) else None


def mistakes(crossway: Crossway) -> None:
    """Each of these is an error to a type checker; mypy reports an unused ignore otherwise."""
    crossway.intents.get()  # type: ignore[call-arg]
    crossway.intents.create(amount="25")  # type: ignore[call-arg,arg-type]
    crossway.intents.list(state="completed")  # type: ignore[call-arg]
    crossway.refunds.create()  # type: ignore[attr-defined]
