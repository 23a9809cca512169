"""A mail server that is spoken to by SMTP."""

import smtplib
import ssl
from contextlib import suppress
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import formatdate, parseaddr
from typing import Final
from urllib.parse import unquote, urlsplit

from crossway.domain.errors import InvalidInput, Unreachable
from crossway.domain.mails import MailMessage
from crossway.ports.mail import MailRefused

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
        """Hand a mail over. Raises `MailRefused` where the server does not take this one, and
        `Unreachable` where it takes none."""
        mail = EmailMessage()
        domain = parseaddr(self.sender)[1].rpartition("@")[2]
        mail["From"], mail["To"], mail["Subject"] = self.sender, message.to, message.subject
        mail["Date"], mail["Message-ID"] = formatdate(), f"<{message.number}@{domain}>"
        # So that out-of-office replies do not answer it.
        mail["Auto-Submitted"] = "auto-generated"
        mail.set_content(message.text)
        try:
            server = self._connect()
        except (smtplib.SMTPException, OSError) as error:
            raise Unreachable(self._describe(error)) from error
        try:
            server.send_message(mail)
        except smtplib.SMTPServerDisconnected as error:
            raise Unreachable(self._describe(error)) from error
        except smtplib.SMTPException as error:
            raise MailRefused(f"The mail server refused it: {_answer_of(error)}") from error
        except OSError as error:
            raise Unreachable(self._describe(error)) from error
        finally:
            # A mail that was taken is sent, whatever the server says to a goodbye.
            with suppress(smtplib.SMTPException, OSError):
                server.quit()
            server.close()

    def _describe(self, error: Exception) -> str:
        """Why no mail can be handed over, for the operator who set the server."""
        where = f"{self.host}:{self.port}"
        if isinstance(error, ssl.SSLCertVerificationError):
            return f"The certificate of {where} is not trusted: {error.verify_message}"
        if isinstance(error, smtplib.SMTPNotSupportedError):
            return f"{where} offers no encryption, without which no password is sent"
        if isinstance(error, smtplib.SMTPAuthenticationError):
            return f"{where} does not take the name and password of smtp_url"
        return f"{where} does not answer as a mail server does: {error}"

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


def _answer_of(error: smtplib.SMTPException) -> str:
    """What the server said, without the receiver's address."""
    text: bytes | str
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        code, text = next(iter(error.recipients.values()))
    elif isinstance(error, smtplib.SMTPResponseException):
        code, text = error.smtp_code, error.smtp_error
    else:
        return type(error).__name__
    words = text.decode(errors="replace") if isinstance(text, bytes) else text
    return " ".join(f"{code} {words}".split())
