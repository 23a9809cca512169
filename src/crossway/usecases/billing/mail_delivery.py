"""Send the mails that are due, each once, and again after failures."""

import json
from typing import Final

from crossway.domain.errors import Unreachable
from crossway.domain.mails import Mail, MailMessage, begin_attempt, end_attempt
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork

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
    error = ""
    try:
        mailer.send(MailMessage(**json.loads(mail.message)))
    except Unreachable as refused:
        error = str(refused)[:_MAX_ERROR]
    ended = end_attempt(mail, error, services.clock.now())
    services.store.write(lambda unit: unit.mails.save(ended, mail.attempt_count))
    return True
