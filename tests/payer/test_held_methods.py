"""What a payment link's page says of the payer's own wallets."""

import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from crossway.usecases.payers import links
from crossway.usecases.payers.link_fields import LinkRequest
from tests.harness import Harness
from tests.payer.conftest import Payer, new_test_client

BASE, SOLANA = "BASE_MAINNET", "SOLANA_MAINNET"

SOLANA_ACCOUNT = "7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs"


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Payer]:
    """A payer of a service that is live, as its pages see it."""
    world = Harness(f"sqlite:///{tmp_path / 'crossway.db'}")
    with new_test_client(replace(world.services, environment="live")) as http:
        yield Payer(http, world)


def ask(payer: Payer, link: str, amount: str = "25", lang: str = "en", **accounts: str) -> Any:
    body = {"amount": amount, **accounts}
    return payer.http.post(f"/pay/l/{link}/held", params={"lang": lang}, data=body)


def rich(payer: Payer, chain: str) -> str:
    """An account that has a stock of every token."""
    return payer.world.services.chains[chain].accounts.relayer


def test_what_wallets_cover_is_listed_cheapest_first_with_its_cost(live: Payer) -> None:
    link = live.create_link()
    page = live.get(f"/l/{link.id}", amount="25").text
    assert 'data-families="' in page
    listed = re.findall(r'name="method" value="([^"]+)"', page)
    answer = ask(live, link.id, evm=rich(live, BASE), solana=rich(live, SOLANA))
    assert answer.status_code == 200
    held = re.findall(r'name="method" value="([^"]+)" required data-family="(\w+)"', answer.text)
    assert {family for _, family in held} == {"evm", "solana"}
    assert {name for name, _ in held} <= set(listed)
    assert not any(name.startswith(("TRON", "STARKNET")) for name, _ in held)
    costs = [float(cost) for cost in re.findall(r"includes <bdi>\$([0-9.]+)</bdi>", answer.text)]
    assert len(costs) == len(held)
    assert costs == sorted(costs)
    assert f"{len(held)}</bdi> ways to pay" in answer.text
    assert "you have" in answer.text


def test_a_link_takes_only_its_own_tokens(live: Payer) -> None:
    link = live.create_link(source_chains=[BASE], source_tokens=["USDC"])
    answer = ask(live, link.id, evm=rich(live, BASE))
    assert re.findall(r'name="method" value="([^"]+)"', answer.text) == [f"{BASE}:USDC"]
    assert "1</bdi> way to pay" in answer.text


def test_a_wallet_that_covers_nothing_is_told_so(live: Payer) -> None:
    link = live.create_link()
    for lang, words in (("en", "No token in your wallet"), ("ar", "لا تكفي")):
        answer = ask(live, link.id, lang=lang, evm=live.world.wallet(BASE, "a poor payer"))
        assert words in answer.text
        assert "<input" not in answer.text


@pytest.mark.parametrize("wrong", ["0x", "<script>", "9" * 5_000, SOLANA_ACCOUNT])
def test_what_is_no_account_is_refused(live: Payer, wrong: str) -> None:
    assert ask(live, live.create_link().id, evm=wrong).status_code == 422


@pytest.mark.parametrize("amount", ["", "0", "-1", "NaN", "1e9", "9" * 60])
def test_what_is_no_amount_is_refused(live: Payer, amount: str) -> None:
    answer = ask(live, live.create_link().id, amount, evm=rich(live, BASE))
    assert answer.status_code == 422


def test_only_open_links_of_a_live_service_answer(live: Payer, payer: Payer) -> None:
    link = live.create_link()
    assert ask(live, "pl_" + 20 * "0", evm=rich(live, BASE)).status_code == 404
    assert "<input" not in ask(live, link.id).text
    links.update(live.world.services, live.world.caller, link.id, LinkRequest(active=False))
    assert ask(live, link.id, evm=rich(live, BASE)).status_code == 404
    simulated = payer.create_link()
    assert ask(payer, simulated.id, evm=rich(payer, BASE)).status_code == 404
    assert "wallet_pick" not in unescape(payer.get(f"/l/{simulated.id}", amount="25").text)


def test_questions_are_limited_apart_from_payments(live: Payer) -> None:
    link = live.create_link()
    answers = [ask(live, link.id, amount="").status_code for _ in range(11)]
    assert answers == [422] * 10 + [429]
    assert live.submit_form(link).status_code == 303
