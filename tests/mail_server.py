"""A mail server on this machine, which keeps what it is given, or refuses it."""

import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage


@dataclass
class Inbox:
    """What arrived. `refusals` are answers that the next mails get instead of being taken."""

    url: str = ""
    mails: list[EmailMessage] = field(default_factory=list)
    receivers: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    logins: list[str] = field(default_factory=list)


class _Session(socketserver.StreamRequestHandler):
    inbox: Inbox
    tls: ssl.SSLContext | None = None

    def handle(self) -> None:
        self._say("220 mail.test")
        # Ends when the other side does not trust the certificate.
        with suppress(OSError):
            while raw := self.rfile.readline():
                if self._answer(raw):
                    return

    def _answer(self, raw: bytes) -> bool:
        """Answer a line; whether it was the last one."""
        verb = raw.split(b":")[0].split()[0].upper()
        if verb == b"DATA":
            self._say("354 go on")
            self._take(b"".join(iter(self.rfile.readline, b".\r\n")))
        elif verb == b"EHLO" and self.tls is not None:
            self._say("250-mail.test\r\n250-AUTH PLAIN\r\n250 STARTTLS")
        elif verb == b"STARTTLS" and self.tls is not None:
            self._say("220 go on")
            self.connection = self.tls.wrap_socket(self.connection, server_side=True)
            self.setup_streams()
        elif verb == b"AUTH":
            encrypted = isinstance(self.connection, ssl.SSLSocket)
            self.inbox.logins.append("encrypted" if encrypted else "in the clear")
            self._say("235 welcome")
        elif verb == b"QUIT":
            self._say("221 bye")
        else:
            if verb == b"RCPT":
                self.inbox.receivers.append(raw.decode().partition(":")[2].strip(" <>\r\n"))
            self._say("250 mail.test")
        return verb == b"QUIT"

    def finish(self) -> None:
        super().finish()
        self.connection.close()

    def setup_streams(self) -> None:
        """Read and write what is encrypted from now on."""
        self.rfile = self.connection.makefile("rb")
        self.wfile = self.connection.makefile("wb", buffering=0)

    def _take(self, content: bytes) -> None:
        if self.inbox.refusals:
            return self._say(self.inbox.refusals.pop(0))
        lines = (b"." + line if line[:2] == b".." else line for line in content.split(b"\r\n"))
        mail = message_from_bytes(b"\r\n".join(lines), policy=policy.default)
        assert isinstance(mail, EmailMessage)
        self.inbox.mails.append(mail)
        return self._say("250 taken")

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


@contextmanager
def mail_server(tls: ssl.SSLContext | None = None) -> Iterator[Inbox]:
    """A server that speaks enough of SMTP, on a free port; with STARTTLS where it has `tls`."""
    inbox = Inbox()
    session = type("Session", (_Session,), {"inbox": inbox, "tls": tls})
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), session) as server:
        inbox.url = f"smtp://127.0.0.1:{server.server_address[1]}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield inbox
        server.shutdown()
