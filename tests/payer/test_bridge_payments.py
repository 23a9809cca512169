"""Payments over bridges on the payer's page: steps, delays, whom to trust, and what to keep."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from crossway.domain.bridge_transfer import BridgeTransferEvent as Event
from crossway.domain.intent import Intent, IntentEvent
from crossway.payer.i18n import LANGUAGES, load_translations
from crossway.usecases.payments.checkout_urls import create_token
from tests.bridged import (
    DESTINATION_TX,
    add_bridged,
    advance,
    apply_event,
    attest,
    delay,
    deliver,
    park,
    send,
)
from tests.contract_chain import with_contracts
from tests.harness import Harness
from tests.payer.conftest import Payer, new_test_client, state_on_page

BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
_STEP = re.compile(
    r'<li class="(done|now|todo|failed)"[^>]*><span class="dot"[^>]*></span><span>(.*?)<span'
)


@pytest.fixture
def live_payer(tmp_path: Path) -> Iterator[Payer]:
    """A payer on a network with contracts."""
    world = Harness(f"sqlite:///{tmp_path / 'live.db'}", chains=[BASE, ARBITRUM])
    with new_test_client(with_contracts(world, [BASE, ARBITRUM])) as http:
        yield Payer(http, world)


def plain(page: str) -> str:
    return page.replace("<bdi>", "").replace("</bdi>", "").replace("&#39;", "'")


def steps_on(page: str) -> list[tuple[str, str]]:
    return [(text, status) for status, text in _STEP.findall(plain(page))]


def look(payer: Payer, intent: Intent) -> tuple[str, list[tuple[str, str]]]:
    page = payer.get_page(intent)
    return state_on_page(page), steps_on(page)


def test_the_steps_over_cctp_follow_its_transfer(payer: Payer) -> None:
    world = payer.world
    intent = add_bridged(world)
    send(world, intent)
    state, steps = look(payer, intent)
    assert state == "sending"
    assert steps == [
        ("You pay", "done"),
        ("Sent over CCTP", "done"),
        ("Confirmed", "now"),
        ("A shop is paid", "todo"),
    ]
    attest(world, intent)
    assert look(payer, intent)[1][2:] == [("Confirmed", "done"), ("A shop is paid", "now")]
    deliver(world, intent)
    state, steps = look(payer, intent)
    assert (state, {status for _, status in steps}) == ("completed", {"done"})
    assert len(steps) == 4


def test_a_delay_is_said_with_where_the_money_can_go(payer: Payer) -> None:
    intent = add_bridged(payer.world)
    send(payer.world, intent)
    delay(payer.world, intent, "Circle's allowance for fast transfers is used up.")
    page = plain(payer.get_page(intent))
    assert state_on_page(page) == "late"
    assert "It can reach nobody else but A shop." in page


def test_parked_money_waits_for_the_merchant(payer: Payer) -> None:
    world = payer.world
    intent = add_bridged(world)
    send(world, intent)
    attest(world, intent)
    park(world, intent, "The recipient cannot be paid.")
    state, steps = look(payer, intent)
    assert (state, steps[-2][1], steps[-1][1]) == ("parked", "failed", "now")
    assert "A contract keeps it for A shop" in plain(payer.get_page(intent))


def test_what_nobody_fills_is_expected_back(payer: Payer) -> None:
    world = payer.world
    intent = add_bridged(world, "ACROSS")
    send(world, intent)
    assert ("Confirmed", "now") not in look(payer, intent)[1]
    advance(world, intent, Event.PASS_DEADLINE, reason="Nobody filled it in time.")
    apply_event(world, intent, IntentEvent.UNFILLED)
    state, steps = look(payer, intent)
    assert state == "unfilled"
    assert steps[1:] == [
        ("Sent over Across", "done"),
        ("Not delivered in time", "failed"),
        ("Refunded", "now"),
    ]
    assert "usually within 12 hours" in plain(payer.get_page(intent))


def test_a_payment_from_inventory_is_paid_whatever_the_bridge_does(payer: Payer) -> None:
    intent = add_bridged(payer.world)
    send(payer.world, intent)
    apply_event(payer.world, intent, IntentEvent.PREFILLED, DESTINATION_TX, relayer="0x01")
    state, steps = look(payer, intent)
    assert (state, {status for _, status in steps}) == ("completed", {"done"})


@pytest.mark.parametrize("code", LANGUAGES)
def test_it_is_said_whom_the_payer_trusts(payer: Payer, code: str) -> None:
    texts = load_translations(code).texts
    bridged, own = add_bridged(payer.world), payer.world.create_intent()
    over_bridge = texts["details.trust_bridge"].format(bridge="Circle")
    assert over_bridge in plain(payer.get_page(bridged, code))
    until_when = texts["details.trust_operator"].split("{time}")[0]
    assert until_when in plain(payer.get_page(own, code))


@pytest.mark.parametrize("bridge", ["GATEWAY", "RHINOFI", "INVENTORY"])
def test_a_bridge_that_moves_inventory_asks_to_trust_the_operator(
    payer: Payer, bridge: str
) -> None:
    offered = [b for b in payer.world.services.bridges if b.name == bridge]
    payer.world.services = replace(payer.world.services, bridges=offered)
    intent = payer.world.create_intent()
    assert intent.terms.bridge == bridge
    until_when = load_translations("en").texts["details.trust_operator"].split("{time}")[0]
    assert until_when in plain(payer.get_page(intent))


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_simulated_network_has_no_calls_to_keep(payer: Payer, code: str) -> None:
    texts = load_translations(code).texts
    page = plain(payer.get_page(add_bridged(payer.world), code))
    kept = page.split('id="kept"')[1].split("</details>")[0]
    assert texts["keep.title"] in kept
    assert texts["keep.simulated"] in kept
    assert texts["claim.contract"] not in kept


@pytest.mark.parametrize("code", LANGUAGES)
def test_calls_to_keep_stand_on_the_page_and_in_the_file(live_payer: Payer, code: str) -> None:
    intent, texts = add_bridged(live_payer.world), load_translations(code).texts
    page = plain(live_payer.get_page(intent, code))
    kept = page.split('id="kept"')[1].split("</details>")[0]
    for name in ("give_back", "refund", "deliver", "release", "contracts"):
        assert texts[f"keep.{name}"] in kept
    token = create_token(live_payer.world.services, intent.id)
    answer = live_payer.get(f"/{token}/details.json", lang=code)
    assert answer.headers["content-disposition"].startswith("attachment; filename=")
    saved = json.loads(answer.text)
    assert saved["deposit_address"] == intent.address
    assert saved["terms"]["source"]["bridger"] == intent.bridger
    by_name = {call["name"]: call for call in saved["calls"]}
    assert by_name["send"]["data"] in kept
    assert by_name["deliver"]["data"] is None
    assert f"/{token}/details.json" in kept


def test_the_delivery_is_shown_once_it_is_attested(live_payer: Payer) -> None:
    intent = add_bridged(live_payer.world)
    page = live_payer.get_page(intent)
    assert "The data exist once" in page
    assert "iris-api" not in page
    send(live_payer.world, intent)
    assert "iris-api.circle.com/v2/messages/6?transactionHash=0x5e5e" in live_payer.get_page(intent)


def test_an_unknown_name_has_no_file(payer: Payer) -> None:
    assert payer.get("/nonsense/details.json").status_code == 404
