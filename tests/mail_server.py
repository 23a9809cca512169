"""A mail server on this machine, which keeps what it is given, or refuses it."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
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


class _Session(socketserver.StreamRequestHandler):
    inbox: Inbox

    def handle(self) -> None:
        self._say("220 mail.test")
        for raw in self.rfile:
            verb = raw.split(b":")[0].split()[0].upper()
            if verb == b"DATA":
                self._say("354 go on")
                self._take(b"".join(iter(self.rfile.readline, b".\r\n")))
            elif verb == b"QUIT":
                return self._say("221 bye")
            else:
                if verb == b"RCPT":
                    self.inbox.receivers.append(raw.decode().partition(":")[2].strip(" <>\r\n"))
                self._say("250 mail.test")
        return None

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
def mail_server() -> Iterator[Inbox]:
    """A server that speaks enough of SMTP, on a free port."""
    inbox = Inbox()
    session = type("Session", (_Session,), {"inbox": inbox})
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), session) as server:
        inbox.url = f"smtp://127.0.0.1:{server.server_address[1]}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield inbox
        server.shutdown()
