"""Reminders by event and by mail: once each, in the payer's language, and again after failures."""

import re
from collections.abc import Iterator
from dataclasses import replace
from string import Formatter

import pytest

from crossway.adapters.mail.smtp import SmtpServer
from crossway.domain.errors import InvalidInput, Unreachable
from crossway.domain.mails import MailMessage
from crossway.engine.billing import Billing
from crossway.ports.records import Alert
from crossway.ports.services import Services
from crossway.usecases.billing import invoices
from crossway.usecases.billing.invoice_fields import LANGUAGES
from crossway.usecases.billing.mail_delivery import send_next
from crossway.usecases.billing.mail_texts import TEXTS
from tests.mail_server import Inbox, mail_server
from tests.ports import free_port
from tests.usecases.billing.conftest import Merchant

ANN = {"name": "Ann", "email": "ann@payer.example"}
SENDER = "Shop <bills@shop.example>"


def alerts_of(merchant: Merchant) -> list[Alert]:
    with merchant.world.store.read() as unit:
        return [a for a in unit.alerts.list_active() if a.kind.startswith("mail")]


@pytest.fixture
def inbox() -> Iterator[Inbox]:
    with mail_server() as inbox:
        yield inbox


def with_mail(merchant: Merchant, inbox: Inbox) -> Services:
    mailer = SmtpServer.parse(inbox.url, SENDER)
    return replace(merchant.world.services, mailer=mailer)


def due_in(merchant: Merchant, days: int) -> str:
    now = merchant.world.clock.now()
    return now.fromtimestamp(now.timestamp() + days * 86_400, now.tzinfo).date().isoformat()


def work(merchant: Merchant, services: Services) -> None:
    """What an engine does: reminders, then mails until none is due."""
    billing = Billing(services)
    while billing.check(False):
        pass


def test_a_payer_is_told_once_each_in_their_language(merchant: Merchant, inbox: Inbox) -> None:
    services, world = with_mail(merchant, inbox), merchant.world
    due = due_in(merchant, 10)
    view = merchant.invoice(
        due, payer=ANN, language="de", remind_days_before=3, remind_days_after=2, allow_parts=True
    )
    work(merchant, services)
    merchant.pay(view, "4")
    for _ in range(15):
        world.machine.seconds += 86_400
        work(merchant, services)
    first, second, third = inbox.mails
    assert inbox.receivers == ["ann@payer.example"] * 3
    assert first["Subject"] == "Rechnung TEST-INV-000001 von A shop"
    assert first["From"] == SENDER
    text = first.get_content()
    assert text.startswith("Guten Tag Ann,")
    assert f"über 11.9 USDC, fällig am {due}." in text
    assert f"/pay/i/{view.invoice.name}" in text
    assert "Noch offen: 7.9 USDC" in second.get_content()
    assert f"war am {due} fällig" in third.get_content()
    assert len({mail["Message-ID"] for mail in inbox.mails}) == 3
    events = merchant.events("invoice_reminder")
    assert [re.findall(r'"reminder": "(\w+)"', event.snapshot) for event in events] == [
        ["upcoming"],
        ["overdue"],
    ]


def test_what_is_paid_or_void_is_not_reminded_of(merchant: Merchant, inbox: Inbox) -> None:
    services, world = with_mail(merchant, inbox), merchant.world
    paid = merchant.invoice(payer=ANN, remind_days_after=1)
    void = merchant.invoice(payer=ANN, remind_days_after=1)
    work(merchant, services)
    merchant.pay(paid)
    invoices.void(world.services, world.caller, void.invoice.name)
    world.machine.seconds += 9 * 86_400
    work(merchant, services)
    assert len(inbox.mails) == 2
    assert merchant.events("invoice_reminder") == []


def test_a_refused_mail_is_tried_again_as_webhooks_are(merchant: Merchant, inbox: Inbox) -> None:
    services, world = with_mail(merchant, inbox), merchant.world
    inbox.refusals = ["451 try later", "550 no such mailbox"]
    merchant.invoice(payer=ANN)
    work(merchant, services)
    assert (inbox.mails, len(inbox.refusals)) == ([], 1)
    for wait, left in ((4, 1), (2, 0), (58, 0)):
        world.machine.seconds += wait
        work(merchant, services)
        assert (inbox.mails, len(inbox.refusals)) == ([], left)
    world.machine.seconds += 3
    work(merchant, services)
    assert len(inbox.mails) == 1
    world.machine.seconds += 90_000
    work(merchant, services)
    assert len(inbox.mails) == 1


def test_a_mail_that_nobody_takes_is_given_up(merchant: Merchant, inbox: Inbox) -> None:
    services, world = with_mail(merchant, inbox), merchant.world
    inbox.refusals = ["550 no such mailbox"] * 20
    merchant.invoice(payer=ANN)
    for _ in range(20):
        work(merchant, services)
        world.machine.seconds += 90_000
    assert len(inbox.refusals) == 12
    [alert] = alerts_of(merchant)
    refused = "given up after 8 attempts. The mail server refused it: 550 no such mailbox"
    assert alert.kind == "mail"
    assert alert.message.endswith(f"(issued) was {refused}")


def test_a_server_that_is_away_is_an_alert_until_it_answers(
    merchant: Merchant, inbox: Inbox
) -> None:
    away = SmtpServer.parse(f"smtp://127.0.0.1:{free_port()}", SENDER)
    merchant.invoice(payer=ANN)
    work(merchant, replace(merchant.world.services, mailer=away))
    [alert] = alerts_of(merchant)
    assert alert.kind == "mail_server"
    assert "does not answer as a mail server does" in alert.message
    inbox.refusals = ["550 no such mailbox"]
    merchant.world.machine.seconds += 61
    # It answers, even if it refuses this mail.
    work(merchant, with_mail(merchant, inbox))
    assert (alerts_of(merchant), inbox.refusals) == ([], [])


def test_a_mail_that_was_begun_is_not_sent_by_another_engine(
    merchant: Merchant, inbox: Inbox
) -> None:
    services, world = with_mail(merchant, inbox), merchant.world
    merchant.invoice(payer=ANN)

    class Killed(Exception):
        pass

    class KillingMailer:
        def send(self, message: MailMessage) -> None:
            raise Killed

    with pytest.raises(Killed):
        work(merchant, replace(services, mailer=KillingMailer()))
    work(merchant, services)
    assert inbox.mails == []
    # Whether the server had it is not known: it is sent again under the same Message-ID.
    world.machine.seconds += 61
    work(merchant, services)
    assert len(inbox.mails) == 1
    assert inbox.mails[0]["Message-ID"].endswith(".issued@shop.example>")


def test_a_database_holds_no_address_in_the_clear(merchant: Merchant) -> None:
    merchant.invoice(payer=ANN)
    work(merchant, merchant.world.services)
    with merchant.world.store.reader.connect() as db:
        rows = db.exec_driver_sql("SELECT content FROM invoices").all()
        rows += db.exec_driver_sql("SELECT message FROM mails").all()
    assert len(rows) == 2
    assert not any("payer.example" in row[0] for row in rows)


def test_without_a_server_nothing_is_sent(merchant: Merchant) -> None:
    merchant.invoice(payer=ANN)
    work(merchant, merchant.world.services)
    assert not send_next(merchant.world.services)


@pytest.mark.parametrize(
    ("url", "sender"),
    [
        ("http://mail.example", SENDER), ("smtp://", SENDER), ("smtp://mail.example:x", SENDER),
        ("smtp://mail.example", ""), ("smtp://mail.example", "Shop"),
    ],
)  # fmt: skip
def test_a_server_that_is_no_server_is_refused(url: str, sender: str) -> None:
    with pytest.raises(InvalidInput):
        SmtpServer.parse(url, sender)


def test_a_password_is_never_sent_in_the_clear(inbox: Inbox) -> None:
    url = inbox.url.replace("smtp://", "smtp://shop:secret@")
    with pytest.raises(Unreachable, match="offers no encryption"):
        SmtpServer.parse(url, SENDER).send(MailMessage("1", "a@b.example", "Hello", "Text"))
    assert inbox.mails == []


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_says_the_same(code: str) -> None:
    def holes(text: str) -> set[str]:
        return {name for _, name, _, _ in Formatter().parse(text) if name}

    usual, other = TEXTS["en"], TEXTS[code]
    assert {k: holes(v) for k, v in usual.items()} == {k: holes(v) for k, v in other.items()}
    assert set(TEXTS) == set(LANGUAGES)
