"""The port of the mail server."""

from typing import Protocol

from crossway.domain.mails import MailMessage


class Mailer(Protocol):
    """Hands mails to a server."""

    def send(self, message: MailMessage) -> None:
        """Return once the server has taken the mail; raises `Unreachable` with its reason."""
        ...
