"""The port of the mail server."""

from typing import Protocol

from crossway.domain.errors import Unreachable
from crossway.domain.mails import MailMessage


class MailRefused(Unreachable):
    """The mail server answers, and does not take this mail now."""


class Mailer(Protocol):
    """Hands mails to a server."""

    def send(self, message: MailMessage) -> None:
        """Return once the server has taken the mail. Raises `MailRefused` with its reason, and
        `Unreachable` where no mail can be handed over: no answer, no trust, no login."""
        ...
