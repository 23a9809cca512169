"""What the payer's page asks of wallets, and what its scripts may ask of the service."""

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from crossway.domain.intent import State
from crossway.payer.i18n import DEFAULT_LANGUAGE, load_translations
from crossway.usecases.payments.checkout_urls import create_token
from tests.harness import CATALOGUE, Harness
from tests.payer.conftest import Payer, new_test_client

SCRIPTS = {
    path.name: path.read_text()
    for path in Path(str(files("crossway.payer") / "assets")).glob("wallet*.js")
}
BASE, ETHEREUM, SOLANA = "BASE_MAINNET", "ETHEREUM_MAINNET", "SOLANA_MAINNET"


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Payer]:
    """A payer of a service that is live, as its pages see it."""
    world = Harness(f"sqlite:///{tmp_path / 'crossway.db'}")
    with new_test_client(replace(world.services, environment="live")) as http:
        yield Payer(http, world)


def request_on(page: str) -> Any:
    """What a wallet is asked for on a page; None where none is."""
    found = re.search(r'id="wallet_pay" data-ask="([^"]+)"', page)
    return json.loads(unescape(found.group(1))) if found else None


def test_a_wallet_is_asked_for_what_is_missing_to_the_smallest_unit(live: Payer) -> None:
    dai = CATALOGUE.tokens[ETHEREUM, "DAI"]
    intent = live.world.create_intent(ETHEREUM, token_in=dai.address)
    asked = request_on(live.get_page(intent))
    units = intent.terms.deposit_amount
    assert units > 2**53
    assert (asked["family"], asked["chain"], asked["token"]) == ("evm", "0x1", dai.address)
    assert (asked["to"], asked["amount"]) == (intent.address, str(units))
    live.world.deposit(intent, str(units - 7))
    live.world.pass_time(1_000)
    assert request_on(live.get_page(intent))["amount"] == "7"


def test_a_native_coin_has_no_token_and_a_chain_is_described(live: Payer) -> None:
    eth = CATALOGUE.tokens[BASE, "ETH"]
    asked = request_on(live.get_page(live.world.create_intent(BASE, token_in=eth.address)))
    assert asked["token"] == ""
    assert asked["add"] == {
        "chainId": "0x2105",
        "chainName": "Base",
        "nativeCurrency": {"name": "ETH", "symbol": "ETH", "decimals": 18},
        "rpcUrls": ["https://mainnet.base.org"],
        "blockExplorerUrls": ["https://basescan.org"],
    }


def test_simulated_and_ended_payments_ask_no_wallet(live: Payer, payer: Payer) -> None:
    simulated, ended = payer.world.create_intent(), live.world.create_intent()
    live.world.machine.seconds += 3_700
    live.world.wait_for_state(ended, State.EXPIRED)
    for one, intent in ((payer, simulated), (live, ended)):
        page = one.get_page(intent)
        assert request_on(page) is None
        assert "wallet_pay.js" not in page
        name = create_token(one.world.services, intent.id)
        answer = one.http.post(
            f"/pay/{name}/balance", data={"account": one.world.wallet(BASE, "x")}
        )
        assert answer.status_code == 404


def test_the_service_reads_a_wallets_balance_itself(live: Payer) -> None:
    intent = live.world.create_intent()
    url = f"/pay/{create_token(live.world.services, intent.id)}/balance"
    account = live.world.wallet(BASE, "a payer with nothing")
    answer = live.http.post(url, params={"lang": "fr"}, data={"account": account})
    assert answer.json() == {
        "balance": "0\u00a0USDC",
        "enough": False,
        "signed": False,
        "signs": False,
        "approves": False,
    }
    assert answer.headers["cache-control"] == "no-store"
    for wrong in ("", "0x", live.world.wallet(SOLANA, "x"), "<script>", "9" * 5_000):
        assert live.http.post(url, data={"account": wrong}).status_code == 422, wrong


def test_only_on_solana_the_service_builds_a_wallets_transaction(live: Payer) -> None:
    for chain in (BASE, "TRON_MAINNET", "STARKNET_MAINNET"):
        token = CATALOGUE.tokens[chain, "USDT"].address
        intent = live.world.create_intent(chain, ETHEREUM, token_in=token)
        name = create_token(live.world.services, intent.id)
        account = live.world.wallet(chain, "a payer")
        url = f"/pay/{name}/transfer"
        assert live.http.post(url, data={"account": account}).status_code == 404
        assert "data-transfer" not in live.http.get(f"/pay/{name}").text


def test_what_no_signature_can_pay_is_not_signed_for(live: Payer) -> None:
    """The chains of this service are simulated, and their tokens take no signatures."""
    intent = live.world.create_intent()
    url = f"/pay/{create_token(live.world.services, intent.id)}/sign"
    account = live.world.wallet(BASE, "a payer who signs")
    for fields in ({"account": account}, {"account": account, "signature": "0x"}, {"account": "x"}):
        answer = live.http.post(url, data=fields)
        assert (answer.status_code, answer.json()) == (422, {"error": "sign_refused"})
    assert live.http.get(url).status_code == 404
    assert live.http.post("/pay/x/sign", data={"account": account}).status_code == 404


def test_balances_are_asked_for_within_limits(live: Payer) -> None:
    url = f"/pay/{create_token(live.world.services, live.world.create_intent().id)}/balance"
    answers = [live.http.post(url, data={"account": "x"}).status_code for _ in range(31)]
    assert answers == [422] * 30 + [429]


def texts_of(section: str) -> set[str]:
    texts = load_translations(DEFAULT_LANGUAGE).texts
    return {key.removeprefix(section) for key in texts if key.startswith(section)}


def test_the_scripts_and_the_texts_name_each_other() -> None:
    known, code = texts_of("wallet."), "\n".join(SCRIPTS.values())
    named = set(re.findall(r'\b(?:tell|request|button|new Refusal)\("(\w+)"', code))
    assert named <= known | texts_of("held.")
    assert known <= set(re.findall(r'"(\w+)"', code)) | set(re.findall(r"texts\.(\w+)", code))


@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_no_script_makes_html_or_rounds_numbers(name: str) -> None:
    unsafe = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|parseFloat|parseInt"
    assert re.findall(unsafe, SCRIPTS[name]) == []


def test_pages_with_all_that_they_load_stay_below_their_size_limit(live: Payer) -> None:
    payment = live.get_page(live.world.create_intent(), "ar")
    # Every token of every chain, and the wallets of every family.
    link = live.get(f"/l/{live.create_link().id}", lang="ar", amount="25").text
    for page, files_of_it in ((payment, 5), (link, 8)):
        loaded = re.findall(r'(?:src|href)="(/pay/assets/[^"]+)"', page)
        assert len(loaded) == files_of_it
        parts = [page.encode(), *(live.http.get(path).content for path in loaded)]
        assert sum(len(gzip.compress(part)) for part in parts) < 20_000
