"""Invoices, subscriptions and mails on PostgreSQL: several processes at once."""

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace

import pytest

from crossway.adapters.mail.smtp import SmtpServer
from crossway.domain.errors import InvalidStatus
from crossway.domain.invoices import Balance, InvoiceState
from crossway.usecases.billing.issuing import issue_due
from crossway.usecases.billing.mail_delivery import send_next
from crossway.usecases.billing.reminders import remind
from crossway.usecases.payers.checkout import CheckoutError
from crossway.usecases.payers.link_payments import pay_by_link
from tests.databases import new_postgres
from tests.harness import Harness
from tests.mail_server import mail_server
from tests.usecases.billing.conftest import Merchant


@pytest.fixture
def merchant(postgres_url: str) -> Iterator[Merchant]:
    with new_postgres(postgres_url) as url:
        world = Harness(url)
        yield Merchant(world)
        world.store.close()


def at_once(work: Callable[[int], object], times: int = 4) -> None:
    threads = [threading.Thread(target=work, args=(number,)) for number in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_numbers_periods_parts_and_mails_are_given_once(merchant: Merchant) -> None:
    world = merchant.world
    at_once(lambda _: merchant.invoice())
    merchant.subscription({"payer": {"email": "ann@payer.example"}})
    at_once(lambda _: issue_due(world.services))
    found = merchant.invoices()
    assert sorted(view.invoice.sequence for view in found) == [1, 2, 3, 4, 5]
    at_once(lambda _: remind(world.services))
    with mail_server() as inbox:
        mailer = SmtpServer.parse(inbox.url, "Shop <bills@shop.example>")
        at_once(lambda _: send_next(replace(world.services, mailer=mailer)))
        assert inbox.receivers == ["ann@payer.example"]
    view = merchant.invoice(allow_parts=True)
    forms = [merchant.form("11.9", f"payer {number}") for number in range(4)]
    made: list[int] = []

    def begin(number: int) -> None:
        with suppress(InvalidStatus, CheckoutError):
            made.append(pay_by_link(world.services, view.link.id, forms[number]).id)

    at_once(begin)
    assert len(made) == 1
    assert merchant.view(view).balance == Balance(0, 11_900_000)
    with world.store.read() as unit:
        [intent] = unit.intents.get_many(made).values()
    world.deposit(intent)
    merchant.look(60)
    assert merchant.view(view).invoice.state is InvoiceState.PAID
