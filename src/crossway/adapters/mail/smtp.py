"""A mail server that is spoken to by SMTP."""

import smtplib
import ssl
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import formatdate, parseaddr
from typing import Final
from urllib.parse import unquote, urlsplit

from crossway.domain.errors import InvalidInput, Unreachable
from crossway.domain.mails import MailMessage

_TIMEOUT_SECONDS: Final = 20
_PORTS: Final = {"smtp": 587, "smtps": 465}


@dataclass(frozen=True, slots=True)
class SmtpServer:
    """`ports.mail.Mailer`. `smtps` is encrypted from the start; `smtp` must be encrypted by
    STARTTLS before a password is sent, and wherever the server offers it."""

    scheme: str
    host: str
    port: int
    user: str
    password: str
    sender: str

    @staticmethod
    def parse(url: str, sender: str) -> "SmtpServer":
        """The server of a URL such as `smtp://name:password@mail.example:587`; raises
        `InvalidInput`."""
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            raise InvalidInput("smtp_url has no valid port") from None
        if parts.scheme not in _PORTS or not parts.hostname:
            raise InvalidInput("smtp_url must be smtp://host:port or smtps://host:port")
        if "@" not in parseaddr(sender)[1]:
            raise InvalidInput("mail_from must be an address such as Shop <bills@shop.example>")
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
        port = port or _PORTS[parts.scheme]
        return SmtpServer(parts.scheme, parts.hostname, port, user, password, sender)

    def send(self, message: MailMessage) -> None:
        """Hand a mail over; raises `Unreachable` for whatever keeps the server from taking it."""
        mail = EmailMessage()
        domain = parseaddr(self.sender)[1].rpartition("@")[2]
        mail["From"], mail["To"], mail["Subject"] = self.sender, message.to, message.subject
        mail["Date"], mail["Message-ID"] = formatdate(), f"<{message.number}@{domain}>"
        # So that out-of-office replies do not answer it.
        mail["Auto-Submitted"] = "auto-generated"
        mail.set_content(message.text)
        try:
            with self._connect() as server:
                server.send_message(mail)
        except (smtplib.SMTPException, OSError) as error:
            raise Unreachable(f"The mail server did not take it: {error}") from error

    def _connect(self) -> smtplib.SMTP:
        context = ssl.create_default_context()
        if self.scheme == "smtps":
            server: smtplib.SMTP = smtplib.SMTP_SSL(
                self.host, self.port, timeout=_TIMEOUT_SECONDS, context=context
            )
        else:
            server = smtplib.SMTP(self.host, self.port, timeout=_TIMEOUT_SECONDS)
        try:
            server.ehlo()
            if self.scheme == "smtp" and (self.user or server.has_extn("starttls")):
                server.starttls(context=context)
            if self.user:
                server.login(self.user, self.password)
        except BaseException:
            server.close()
            raise
        return server
