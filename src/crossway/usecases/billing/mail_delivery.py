"""Send the mails that are due, each once, and again after failures."""

import json
from datetime import datetime
from typing import Final

from crossway.domain.errors import Unreachable
from crossway.domain.mails import Mail, MailMessage, MailState, begin_attempt, end_attempt
from crossway.ports.mail import Mailer, MailRefused
from crossway.ports.records import Alert
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork

SERVER_ALERT: Final = "mail_server"
"""The kind and key of the alert about a server to which no mail can be handed over."""
MAIL_ALERT: Final = "mail"
"""The kind of alert about a mail that was given up."""
_MAX_ERROR: Final = 300


def send_next(services: Services) -> bool:
    """Send the next due mail; False where none is due or no mail server is set.

    The attempt is stored before the server is asked, so that no other process sends it meanwhile. A
    process that is killed in between leaves a mail that is sent again later under the same
    Message-ID: whether the server had it is not known."""
    mailer = services.mailer
    if mailer is None:
        return False

    def begin(unit: UnitOfWork) -> Mail | None:
        now = services.clock.now()
        mail = unit.mails.take_due(now)
        if mail is None:
            return None
        begun = begin_attempt(mail, now)
        unit.mails.save(begun, mail.attempt_count)
        return begun

    mail = services.store.write(begin)
    if mail is None:
        return False
    services.process.failpoint("mail-begun")
    error, answers = _hand_over(mailer, mail)
    now = services.clock.now()
    ended = end_attempt(mail, error, now)

    def end(unit: UnitOfWork) -> None:
        unit.mails.save(ended, mail.attempt_count)
        if answers:
            unit.alerts.resolve([SERVER_ALERT], now)
        else:
            unit.alerts.raise_alert(Alert(SERVER_ALERT, SERVER_ALERT, "", error, now, now, None))
        if ended.state is MailState.FAILED:
            unit.alerts.raise_alert(_given_up(ended, now))

    services.store.write(end)
    return True


def _hand_over(mailer: Mailer, mail: Mail) -> tuple[str, bool]:
    """What went wrong, empty for nothing, and whether the server answers at all."""
    try:
        mailer.send(MailMessage(**json.loads(mail.message)))
    except Unreachable as error:
        return str(error)[:_MAX_ERROR], isinstance(error, MailRefused)
    return "", True


def _given_up(mail: Mail, now: datetime) -> Alert:
    _, invoice, about = mail.cause.split(":")
    message = (
        f"The mail about invoice {invoice} ({about}) was given up after {mail.attempt_count} "
        f"attempts. {mail.error}"
    )
    return Alert(f"{MAIL_ALERT}:{mail.id}", MAIL_ALERT, invoice, message, now, now, None)
