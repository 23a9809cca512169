"""The pages of invoices and subscriptions in every language, and their calendar files."""

import html
import re
from datetime import UTC, date, datetime
from typing import Any

import pytest

from crossway.domain.intent import State
from crossway.payer.calendar_file import DueDate, write_calendar
from crossway.payer.i18n import LANGUAGES, load_translations
from crossway.usecases.billing import invoices, subscriptions
from crossway.usecases.billing.invoice_fields import ContentRequest
from crossway.usecases.billing.invoices import InvoiceView
from crossway.usecases.billing.subscriptions import SubscriptionRequest
from tests.payer.conftest import Payer

HOSTILE = "\"><script>alert(1)</script>{{7907*7919}}'"
LINES = [
    {"description": "Hosting", "quantity": 2, "unit_amount": "5000000", "tax_bps": 1_900},
    {"description": HOSTILE, "unit_amount": "2500000"},
]


def content(shop: Payer, **more: Any) -> ContentRequest:
    to = "ARBITRUM_MAINNET"
    usual = {"lines": LINES, "destination_chain": to, "recipient": shop.world.wallet(to, "shop")}
    return ContentRequest(**(usual | more))


def issue(shop: Payer, due: str | None = None, **more: Any) -> InvoiceView:
    world = shop.world
    return invoices.create(world.services, world.caller, content(shop, **more), due)


def plain(page: str) -> str:
    inline = re.sub(r"</?bdi[^>]*>", "", page)
    text = html.unescape(re.sub(r"<[^>]+>", " ", inline)).replace("\u00a0", " ")
    return re.sub(r"\s+", " ", text)


def look(payer: Payer, path: str, lang: str = "en") -> str:
    answer = payer.get(f"/{path}", lang=lang)
    assert answer.status_code == 200, answer.text
    return str(answer.text)


@pytest.mark.parametrize("code", LANGUAGES)
def test_an_invoice_is_on_paper_in_every_language(payer: Payer, code: str) -> None:
    view = issue(payer, notes=HOSTILE, payer={"name": "Ada", "address": "1 High Street\nLondon"})
    page, texts = look(payer, f"i/{view.invoice.name}", code), load_translations(code).texts
    assert f'<html lang="{code}"' in page
    assert texts["status.open"] in html.unescape(page)
    assert "TEST-INV-000001" in page
    assert "<script>alert" not in page
    assert "62615533" not in page
    assert f'href="/pay/l/{view.link.id}?lang={code}"' in page


def test_lines_tax_and_total_stand_below_each_other(payer: Payer) -> None:
    view = issue(payer, tax_name="MwSt.", lines=LINES[:1])
    told = plain(look(payer, f"i/{view.invoice.name}"))
    assert (
        "Hosting 2 × 5 USDC 10 USDC Net 10 USDC MwSt. 19% on 10 USDC 1.9 USDC Total 11.9 USDC"
    ) in told
    assert "Pay 11.9 USDC" in told


def test_parts_and_what_is_left_are_shown(payer: Payer) -> None:
    view = issue(payer, lines=LINES[:1], allow_parts=True)
    assert payer.submit_form(view.link, amount="12").status_code == 422
    made = payer.submit_form(view.link, amount="4")
    world = payer.world
    with world.store.read() as unit:
        [use] = unit.payment_links.list_uses(view.link.id, 5)
        intent = unit.intents.get_many([use.intent_id])[use.intent_id]
    told = plain(look(payer, f"i/{view.invoice.name}"))
    assert "On its way or being paid 4 USDC" in told
    assert "4 USDC · waiting for payment" in told
    world.deposit(intent)
    world.wait_for_state(intent, State.COMPLETED)
    page = look(payer, f"i/{view.invoice.name}")
    told = plain(page)
    assert "Partially paid" in told
    assert "Paid 4 USDC Still to pay 7.9 USDC" in told
    assert "You may pay it in parts. Pay 7.9 USDC" in told
    assert made.headers["location"] in page
    assert "At most 7.9 USDC" in plain(look(payer, f"l/{view.link.id}"))


def version_of(page: str) -> str:
    found = re.search(r'data-version="(\w+)"', page)
    assert found is not None
    return found[1]


def test_the_page_of_an_invoice_learns_what_has_changed(payer: Payer) -> None:
    world, view = payer.world, issue(payer, lines=LINES[:1])
    path = f"i/{view.invoice.name}"
    page = look(payer, path)
    assert f'data-poll="/pay/{path}/live?lang=en&amp;live=1"' in page
    seen = version_of(page)
    unchanged = payer.get(f"/{path}/live", live="1", lang="en", version=seen)
    assert (unchanged.status_code, unchanged.text) == (204, "")
    assert int(unchanged.headers["x-now"]) == int(world.clock.now().timestamp() * 1_000)
    invoices.void(world.services, world.caller, view.invoice.name)
    changed = payer.get(f"/{path}/live", live="1", lang="en", version=seen)
    assert changed.status_code == 200
    assert changed.text.startswith("<article data-version=")
    assert "Void: nothing is to be paid" in plain(changed.text)
    assert "data-ended" in changed.text
    assert version_of(changed.text) == version_of(look(payer, path)) != seen


def test_a_void_invoice_says_so_and_leads_to_no_payment(payer: Payer) -> None:
    world, view = payer.world, issue(payer)
    invoices.void(world.services, world.caller, view.invoice.name)
    page = look(payer, f"i/{view.invoice.name}")
    assert "Void: nothing is to be paid" in plain(page)
    assert "/pay/l/" not in page


def test_an_overdue_invoice_says_so_and_can_be_paid(payer: Payer) -> None:
    view = issue(payer)
    payer.world.machine.seconds += 2 * 86_400
    told = plain(look(payer, f"i/{view.invoice.name}"))
    assert "To be paid · overdue" in told
    assert "Pay 14.4 USDC" in told


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_subscription_lists_its_invoices_and_says_when_the_next_is_due(
    payer: Payer, code: str
) -> None:
    world, texts = payer.world, load_translations(code).texts
    request = SubscriptionRequest(interval="month", every=2, lead_days=1)
    made = subscriptions.create(world.services, world.caller, content(payer), request)
    assert texts["subscription.none"] in html.unescape(look(payer, f"s/{made.name}", code))
    world.pass_time(15, step=5)
    page = html.unescape(look(payer, f"s/{made.name}", code))
    assert "TEST-INV-000001" in page
    assert texts["status.open"] in page
    subscriptions.change_state(world.services, world.caller, made.name, "paused")
    assert texts["subscription.paused"] in html.unescape(look(payer, f"s/{made.name}", code))


@pytest.mark.parametrize("path", ["i/inv_0", f"i/inv_{'0' * 20}", f"s/sub_{'0' * 20}", "s/%00"])
def test_guessed_names_are_not_found(payer: Payer, path: str) -> None:
    issue(payer)
    assert payer.get(f"/{path}").status_code == 404
    assert payer.get(f"/{path}/calendar").status_code == 404
    assert payer.get(f"/{path}/live").status_code == 404


def unfold(text: str) -> list[str]:
    assert text.endswith("\r\n")
    assert all(len(line.encode()) <= 75 for line in text.split("\r\n"))
    return text.replace("\r\n ", "").split("\r\n")[:-1]


def test_a_calendar_has_the_due_dates_to_come(payer: Payer) -> None:
    world = payer.world
    year = world.clock.now().year + 1
    request = SubscriptionRequest(interval="month", first_due_date=f"{year}-01-31", periods=4)
    made = subscriptions.create(
        world.services, world.caller, content(payer, lines=LINES[:1]), request
    )
    answer = payer.get(f"/s/{made.name}/calendar", lang="de")
    assert answer.headers["content-type"] == "text/calendar; charset=utf-8"
    lines = unfold(answer.text)
    last = 29 if year % 4 == 0 else 28
    assert [line.partition(":")[2] for line in lines if line.startswith("DTSTART")] == [
        f"{year}0131", f"{year}02{last}", f"{year}0331", f"{year}0430",
    ]  # fmt: skip
    assert [line for line in lines if line.startswith("UID")] == [
        f"UID:{made.name}.{period}@crossway" for period in range(4)
    ]
    assert "SUMMARY:A shop: 11\\,9\u00a0USDC fällig" in lines
    # The invoice of a period takes the place of its date.
    world.machine.seconds += (date(year, 2, 1) - world.clock.now().date()).days * 86_400
    world.pass_time(15, step=5)
    lines = unfold(payer.get(f"/s/{made.name}/calendar").text)
    first = next(line for line in lines if line.startswith("UID"))
    assert first == f"UID:{made.name}.0@crossway"
    assert any("/pay/i/inv_" in line for line in lines)


def test_a_calendar_escapes_and_folds() -> None:
    title = "Café; 1,5 \\ " + "é" * 100 + "\r\nBEGIN:VEVENT"
    now = datetime(2027, 1, 1, tzinfo=UTC)
    lines = unfold(write_calendar([DueDate("k", date(2027, 12, 31), title, "https://x.y")], now))
    assert lines.count("BEGIN:VEVENT") == 1
    assert f"SUMMARY:Café\\; 1\\,5 \\\\ {'é' * 100}\\nBEGIN:VEVENT" in lines
    assert "DTEND;VALUE=DATE:20280101" in lines
