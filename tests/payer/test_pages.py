"""A payment's page in each state and language, and its privacy."""

import re
from dataclasses import replace
from functools import partial
from html.parser import HTMLParser

import pytest

from crossway.domain.intent import Intent, State
from crossway.payer.i18n import LANGUAGES, load_translations
from crossway.usecases.chains import kill_switches
from crossway.usecases.developers import clients
from crossway.usecases.developers.clients import ClientUpdate
from crossway.usecases.payers import branding, checkout, links
from crossway.usecases.payments.checkout_urls import create_token
from crossway.usecases.simulator import chain_controls
from tests.harness import CATALOGUE, Harness
from tests.payer.conftest import Payer, new_test_client, state_on_page

HOSTILE = "\"><script>alert(1)</script><img src=x onerror=alert(2)>{{7907*7919}}'"
PICTURE = b"\x89PNG\r\n\x1a\n rest"


class Handlers(HTMLParser):
    """Collects event-handler attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [f"{tag} {name}" for name, _ in attrs if name.startswith("on")]


def handlers(page: str) -> list[str]:
    parser = Handlers()
    parser.feed(page)
    return parser.found


def waiting(world: Harness) -> Intent:
    return world.create_intent()


def seen(world: Harness) -> Intent:
    intent = world.create_intent("ETHEREUM_MAINNET")
    world.deposit(intent)
    while not checkout.get_checkout(
        world.services, create_token(world.services, intent.id)
    ).deposits:
        world.pass_time(1)
    return intent


def short(world: Harness) -> Intent:
    intent = world.create_intent()
    world.deposit(intent, "10000000")
    world.pass_time(20)
    return intent


def completed(world: Harness) -> Intent:
    intent = world.create_intent()
    world.deposit(intent)
    return world.wait_for_state(intent, State.COMPLETED)


def expired(world: Harness) -> Intent:
    intent = world.create_intent()
    world.machine.seconds += 3_700
    return world.wait_for_state(intent, State.EXPIRED)


def refunded(world: Harness) -> Intent:
    intent = short(world)
    world.machine.seconds += 3_700
    return world.wait_for_state(intent, State.REFUNDED)


@pytest.mark.parametrize(
    "make", [waiting, seen, short, completed, expired, refunded], ids=lambda make: make.__name__
)
def test_a_page_shows_the_payment_status_in_every_language(payer: Payer, make: object) -> None:
    assert callable(make)
    intent, state = make(payer.world), make.__name__
    for code in LANGUAGES:
        page, words = payer.get_page(intent, code), load_translations(code)
        assert state_on_page(page) == state
        assert f'<html lang="{code}" dir="{words.direction}"' in page
        title = words.texts[f"state.{state}.title"]
        assert title in page.replace("&#39;", "'")
        to_pay = state in ("waiting", "short")
        assert ('class="warn"' in page) == to_pay
        assert (f'data-copy="{intent.address}"' in page) == to_pay
        assert words.texts["mark.brief"] in page or not to_pay


def test_only_the_missing_amount_is_requested(payer: Payer) -> None:
    intent = short(payer.world)
    missing = intent.terms.deposit_amount - 10_000_000
    page = payer.get_page(intent)
    assert f'data-copy="{missing / 1e6:.6f}'.rstrip("0") in page
    assert f"uint256={missing}&amp;" in page or f'uint256={missing}"' in page
    assert "10\u00a0USDC</bdi> received" in page


def test_overpayments_late_deposits_and_wrong_tokens_are_explained(payer: Payer) -> None:
    world = payer.world
    over = world.create_intent()
    world.deposit(over, str(over.terms.deposit_amount + 1_500_000))
    stray = world.create_intent()
    usdt = CATALOGUE.tokens["BASE_MAINNET", "USDT"]
    chain_controls.send_deposit(
        world.services, world.operator, stray.address, "7000000", usdt.address
    )
    world.wait_for_state(over, State.COMPLETED)
    assert "1.5\u00a0USDC</bdi> too much" in payer.get_page(over)
    page = payer.get_page(stray)
    assert "7\u00a0USDT</bdi> arrived on" in page
    assert state_on_page(page) == "waiting"
    late = expired(world)
    world.deposit(late, "3000000")
    world.pass_time(20)
    assert "3\u00a0USDC</bdi> arrived after the payment expired" in payer.get_page(late)


def test_a_finished_payment_is_a_receipt_with_its_transactions(payer: Payer) -> None:
    intent = completed(payer.world)
    page = payer.get_page(intent)
    assert intent.tx_hash is not None
    assert f'href="https://arbiscan.io/tx/{intent.tx_hash}"' in page
    assert page.count("<li><span>") == 2
    assert "A shop</bdi> has received <bdi>25\u00a0USDC" in page
    assert 'http-equiv="refresh"' not in page


def test_an_unchanged_page_is_not_sent_again(payer: Payer) -> None:
    world = payer.world
    intent = world.create_intent()
    version = re.search(r'data-version="(\w+)"', payer.get_page(intent))
    assert version is not None
    live = f"/{create_token(world.services, intent.id)}/live"
    world.pass_time(5)
    same = payer.get(live, lang="en", version=version.group(1))
    assert (same.status_code, same.content) == (204, b"")
    assert int(same.headers["x-now"]) == int(world.machine.seconds * 1000)
    world.deposit(intent)
    world.wait_for_state(intent, State.COMPLETED)
    news = payer.get(live, lang="fr", version=version.group(1))
    assert state_on_page(news.text) == "completed"
    assert "Payé" in news.text
    assert "<html" not in news.text


def test_a_page_loads_nothing_from_other_hosts(payer: Payer) -> None:
    world = payer.world
    change = ClientUpdate(
        display_name=HOSTILE[:100], colour="#ffee00", logo_url="https://x.example/l.png"
    )
    clients.update_client(world.services, "c-1", change, world.operator)
    branding.update_branding(
        world.services, world.operator, "c-1", PICTURE, ["https://shop.example"]
    )
    link = payer.create_link(title=HOSTILE, description=HOSTILE, reference=HOSTILE)
    path = payer.submit_form(link).headers["location"]
    pages = [payer.http.get(path), payer.get(f"/l/{link.id}"), payer.get(f"/l/{link.id}/poster")]
    pages.append(payer.get(f"/l/{link.id}", amount=HOSTILE))
    pages.append(payer.submit_form(link, "m" * 20, refund=HOSTILE))
    for answer in pages:
        assert "<script>alert" not in answer.text
        assert "<img src=x" not in answer.text
        assert "62615533" not in answer.text
        outside = re.findall(r'(?:src|href|action)="(https?:[^"]+)"', answer.text)
        assert [url for url in outside if "scan" not in url] == []
        rules = answer.headers["content-security-policy"]
        assert "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-" in rules
        assert rules.endswith("frame-ancestors https://shop.example")
        assert "unsafe" not in rules
        assert "set-cookie" not in answer.headers
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["x-robots-tag"].startswith("noindex")
        assert not handlers(answer.text)
    logo = re.search(r'src="(/pay/logo/\w+)"', pages[0].text)
    assert logo is not None
    response = payer.http.get(logo.group(1))
    assert (response.content, response.headers["content-type"]) == (PICTURE, "image/png")
    assert "--brand:#ffee00;--ink:#000000" in pages[0].text


@pytest.mark.parametrize(
    "path", ["/x", "/" + "A" * 32, "/l/pl_" + "0" * 20, "/a/b", "/l/%00", "/logo/"]
)
def test_guessed_tokens_are_not_found(payer: Payer, path: str) -> None:
    payer.world.create_intent()
    answer = payer.http.get(f"/pay{path}", headers={"accept-language": "ar"})
    assert answer.status_code == 404
    assert "الصفحة غير موجودة" in answer.text
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["x-frame-options"] == "DENY"


def test_too_many_requests_are_rejected(payer: Payer) -> None:
    link = payer.create_link()
    answers = [payer.submit_form(link, f"{n:020}") for n in range(22)]
    assert [answer.status_code for answer in answers] == [303] * 20 + [429] * 2
    assert int(answers[-1].headers["retry-after"]) > 0
    with new_test_client(replace(payer.world.services)) as another:
        assert another.get(f"/pay/l/{link.id}").status_code == 200


@pytest.mark.parametrize("typed", ["9" * 55, "1e5", "-1", "0", "NaN", "٥", "1.2.3", "0.0000001"])
def test_an_invalid_amount_shows_the_form_again(payer: Payer, typed: str) -> None:
    answer = payer.get(f"/l/{payer.create_link().id}", amount=typed)
    assert answer.status_code == 422
    assert 'aria-invalid="true"' in answer.text
    assert 'name="method"' not in answer.text


def test_a_link_with_a_disabled_chain_offers_no_payment(payer: Payer) -> None:
    link, world = payer.create_link(), payer.world
    kill_switches.set_kill_switch(
        world.services, world.operator, "chain:ARBITRUM_MAINNET", True, "an incident"
    )
    page = payer.get(f"/l/{link.id}", amount="5", lang="fr")
    assert page.status_code == 200
    assert "ne peut pas être payé pour le moment" in page.text
    refused = payer.submit_form(link)
    assert refused.status_code == 422
    assert links.get(world.services, world.operator, link.id).uses == 0


def test_a_link_in_use_says_so_and_leads_its_payer_back(payer: Payer) -> None:
    link = payer.create_link(max_uses=1)
    first = payer.submit_form(link)
    assert first.status_code == 303
    # The same visitor sees the form, which leads back to the payment.
    again = payer.submit_form(link, nonce="m" * 20)
    assert again.headers["location"] == first.headers["location"]
    refund = payer.world.wallet("BASE_MAINNET", "another wallet")
    refused = payer.submit_form(link, nonce="o" * 20, refund=refund)
    assert refused.status_code == 409
    assert "This link is in use" in refused.text
    assert "try again in 60 min" in re.sub("<[^>]+>|[\u2066-\u2069]", "", refused.text)


def test_programs_that_ask_for_x402_are_limited_as_what_makes_payments(payer: Payer) -> None:
    link, as_program = payer.create_link(), {"accept": "application/json"}
    assert payer.http.head(f"/pay/l/{link.id}", headers=as_program).status_code == 200
    ask = partial(payer.http.get, f"/pay/l/{link.id}?amount=1", headers=as_program)
    # The simulated network takes no signatures; to ask costs as much.
    assert [ask().status_code for _ in range(32)] == [422] * 30 + [429] * 2
    assert payer.get(f"/l/{link.id}", amount="1").status_code == 200


def test_too_many_unpaid_payments_of_one_address_are_refused(payer: Payer) -> None:
    link = payer.create_link()
    wallets = [payer.world.wallet("BASE_MAINNET", f"wallet {n}") for n in range(20)]
    for number, wallet in enumerate(wallets):
        assert payer.submit_form(link, f"{number:020d}", refund=wallet).status_code == 303
    with new_test_client(payer.world.services) as http:
        later = Payer(http, payer.world)
        refused = later.submit_form(link, "x" * 20, refund=payer.world.wallet("BASE_MAINNET", "x"))
        assert refused.status_code == 429
        assert refused.headers["retry-after"] == "3600"
        assert later.submit_form(link, "y" * 20, refund=wallets[0]).status_code == 303
