"""The MCP server with the SDK's own client: in process, and as a command on its standard input."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from crossway.bootstrap import Service
from crossway.domain.clients import Mode, Scope
from crossway_client import AsyncCrossway, Crossway
from crossway_client.mcp_server.confirmations import Confirmations
from crossway_client.mcp_server.server import build_server
from tests.api.conftest import WALLET, new_key
from tests.commands import crossway
from tests.event_loops import run_apart, run_async

NEW = {
    "reference": "A-7",
    "amount_usd": "25.50",
    "source_chain": "BASE_MAINNET",
    "destination_chain": "ARBITRUM_MAINNET",
    "recipient": WALLET,
    "refund_address": WALLET,
}
TOOLS = [
    "quote", "create_intent", "get_intent", "list_intents", "find", "explain_intent",
    "refund_intent",
]  # fmt: skip


class Assistant:
    """Calls tools as an assistant does."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        """A tool's result."""
        result: Any = await self.client.call_tool(name, arguments)
        assert not result.is_error, result.content
        content: dict[str, Any] = result.structured_content
        return content

    async def refused(self, name: str, **arguments: Any) -> str:
        """The words with which a tool fails."""
        result: Any = await self.client.call_tool(name, arguments)
        assert result.is_error, result.content
        text: str = result.content[0].text
        return text


@asynccontextmanager
async def assistant(
    key: str, url: str, clock: Callable[[], float] = lambda: 0.0
) -> AsyncIterator[Assistant]:
    async with AsyncCrossway(key, url) as crossway:
        server = build_server(crossway, await crossway.client_info(), Confirmations(clock))
        async with Client(server) as client:
            yield Assistant(client)


@pytest.fixture
def key(service: Service) -> str:
    return new_key(service)[2]


def expire(service: Service, url: str, key: str, address: str, amount: int) -> None:
    """Let a payment with a deposit that is too small expire; no automatic refund comes."""
    with Crossway(key, url) as crossway:
        crossway.sandbox.deposit(address, amount)
        for seconds in (2, 2, 2, 3700):
            crossway.sandbox.set_clock(advance_seconds=seconds)
            service.engine.tick()


def test_the_tools_say_what_they_may_change(key: str, url: str) -> None:
    async def play() -> None:
        async with assistant(key, url) as user:
            listed = (await user.client.list_tools()).tools
            assert [tool.name for tool in listed] == TOOLS
            hints = {tool.name: tool.annotations for tool in listed}
            reads = [name for name, hint in hints.items() if hint and hint.read_only_hint]
            assert set(TOOLS) - set(reads) == {"create_intent", "refund_intent"}
            assert all(tool.description for tool in listed)
            assert "Test mode" in (user.client.instructions or "")

    run_async(play())


def test_a_payment_is_quoted_created_shown_listed_found_and_explained(key: str, url: str) -> None:
    async def play() -> None:
        async with assistant(key, url) as user:
            quoted = await user.call("quote", destination_chain="ARBITRUM_MAINNET", amount="25.50")
            assert {"BASE_MAINNET", "ARBITRUM_MAINNET"} <= {
                option["source_chain"] for option in quoted["options"]
            }
            created = await user.call("create_intent", **NEW)
            assert created["status"] == "PENDING"
            assert created["deposit"].endswith(" USDC")
            assert (await user.call("create_intent", **NEW))["id"] == created["id"]
            number = str(created["id"])
            shown = await user.call("get_intent", intent=created["deposit_address"])
            assert shown["id"] == created["id"]
            listed = await user.call("list_intents", status="pending", limit=1)
            assert [one["id"] for one in listed["payments"]] == [created["id"]]
            assert listed["more"] is False
            found = await user.call("find", identifier="A-7")
            assert [one["id"] for one in found["found"]] == [created["id"]]
            explained = await user.call("explain_intent", intent=number)
            assert explained["payment"]["id"] == created["id"]
            assert "send" in explained["next"]

    run_async(play())


def test_what_is_wrong_is_told_in_words(key: str, url: str) -> None:
    async def play() -> None:
        async with assistant(key, url) as user:
            assert "Intent not found" in await user.refused("get_intent", intent=WALLET)
            other = {**NEW, "recipient": "nobody"}
            assert "recipient" in await user.refused("create_intent", **other)
            assert "6 decimal places" in await user.refused(
                "create_intent", **{**NEW, "amount_usd": "0.0000001"}
            )
            assert "which has" in await user.refused("create_intent", **NEW, pay_with="XYZ")
            assert "limit" in await user.refused("list_intents", limit=1000)
            for amount in ("1e3", "1e999999", "NaN", "25.5" + "0" * 30 + "1", "9" * 5_000, "-1"):
                assert "6 decimal places" in await user.refused(
                    "create_intent", **{**NEW, "amount_usd": amount}
                )
            assert "must name a resource" in await user.refused("get_intent", intent="..")
            assert "there are ways from" in await user.refused(
                "quote", destination_chain="ARBITRUM_MAINNET", amount="25", source_chain="BASE"
            )

    run_async(play())


def test_a_reference_may_have_any_characters(key: str, url: str) -> None:
    async def play() -> None:
        async with assistant(key, url) as user:
            made = set()
            for reference in ("Küche 7", "支付", "A-7 ", "A-7", "line\nline", "x" * 200):
                created = await user.call("create_intent", **{**NEW, "reference": reference})
                assert created["metadata"] == {"reference": reference}
                again = await user.call("create_intent", **{**NEW, "reference": reference})
                assert again["id"] == created["id"]
                made.add(created["id"])
            assert len(made) == 6

    run_async(play())


def test_a_refund_needs_a_confirmation_of_what_was_shown(
    key: str, url: str, service: Service
) -> None:
    now = [0.0]

    async def play() -> None:
        async with assistant(key, url, lambda: now[0]) as user:
            created = await user.call("create_intent", **NEW)
            number, address = str(created["id"]), created["deposit_address"]
            assert "only an expired one" in await user.refused("refund_intent", intent=number)
            await asyncio.to_thread(expire, service, url, key, address, 1_000_000)
            shown = await user.call("refund_intent", intent=number)
            assert (shown["done"], shown["transaction"]) == (False, None)
            assert f"goes to {WALLET}" in shown["text"]
            for wrong in ("", "made up"):
                text = await user.refused("refund_intent", intent=number, confirmation=wrong)
                assert "unknown, used or too old" in text
            token = shown["confirmation"]
            now[0] = 601.0
            assert "too old" in await user.refused(
                "refund_intent", intent=number, confirmation=token
            )
            token = (await user.call("refund_intent", intent=number))["confirmation"]
            refund = asyncio.create_task(
                user.call("refund_intent", intent=number, confirmation=token)
            )
            while not refund.done():
                await asyncio.to_thread(service.engine.tick)
            done = await refund
            assert done["done"] is True
            assert done["transaction"]
            assert "used" in await user.refused("refund_intent", intent=number, confirmation=token)

    run_async(play())


def test_a_confirmation_refunds_no_other_payment(key: str, url: str, service: Service) -> None:
    """The user agreed to the refund that they were shown, and to no other."""

    async def play() -> None:
        async with assistant(key, url) as user:
            shown, other = [
                await user.call("create_intent", **{**NEW, "reference": name})
                for name in ("A-8", "A-9")
            ]
            for payment in (shown, other):
                address = payment["deposit_address"]
                await asyncio.to_thread(expire, service, url, key, address, 1_000_000)
            first = await user.call("refund_intent", intent=str(shown["id"]))
            token = first["confirmation"]
            text = await user.refused("refund_intent", intent=str(other["id"]), confirmation=token)
            assert "the payment has changed" in text
            assert (await user.call("get_intent", intent=str(other["id"])))["status"] == "EXPIRED"
            again = await user.refused("refund_intent", intent=str(shown["id"]), confirmation=token)
            assert "used" in again, "it was used up for the other payment"

    run_async(play())


def test_the_scopes_of_the_key_apply(service: Service, url: str) -> None:
    reader = new_key(service, scopes=frozenset({Scope.READ}))[2]

    async def play() -> None:
        async with assistant(reader, url) as user:
            assert (await user.call("list_intents"))["payments"] == []
            assert "lacks the scope write (it has read)" in await user.refused(
                "create_intent", **NEW
            )
            assert "lacks the scope refund" in await user.refused("refund_intent", intent="1")

    run_async(play())


def test_it_is_served_as_a_command(key: str, url: str) -> None:
    program = str(Path(sys.executable).with_name("crossway"))
    environment = {**os.environ, "CROSSWAY_API_KEY": key, "CROSSWAY_API_URL": url}
    command = StdioServerParameters(command=program, args=["mcp"], env=environment)

    async def play() -> None:
        async with Client(command) as client:
            created = await Assistant(client).call("create_intent", **NEW)
            assert created["status"] == "PENDING"

    run_async(play())


def test_a_live_key_needs_the_option(service: Service, url: str, tmp_path: Path) -> None:
    live = new_key(service, Mode.LIVE)[2]
    settings = {"CROSSWAY_API_KEY": live, "CROSSWAY_API_URL": url}
    refused = run_apart(lambda: crossway(tmp_path, "mcp", **settings))
    assert (refused.exit_code, "--live" in refused.stderr) == (1, True)
    unknown = settings | {"CROSSWAY_API_KEY": "cr_test_x"}
    nobody = run_apart(lambda: crossway(tmp_path, "mcp", **unknown))
    assert (nobody.exit_code, nobody.stderr) == (1, "crossway: Unauthorized\n")
