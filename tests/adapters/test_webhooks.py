"""Webhooks are sent to public addresses only, whatever the URL or the resolver says."""

import os
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from crossway.adapters.webhooks.dns import DnsResolver, LookupsBusy
from crossway.adapters.webhooks.sender import HttpWebhookSender
from crossway.adapters.webhooks.ssrf_guard import Resolve, is_public
from crossway.domain.errors import Unreachable
from tests.processes import PATIENCE_SECONDS
from tests.receivers import Receiver, running_receiver

PUBLIC = "93.184.215.14"
INSIDE = [
    "127.0.0.1",
    "127.255.255.254",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "192.0.0.8",
    "192.0.2.1",
    "198.18.0.1",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:93.184.215.14",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::5db8:d70e",
    "64:ff9b:1::1",
    "2002:7f00:1::",
    "2001:0:7f00:1::1",
    "2001:20::1",
    "2001:db8::1",
    "3fff::1",
    "2606:4700::5efe:7f00:1",
    "2606:4700::200:5efe:a01:203",
    "192.31.196.1",
    "192.175.48.1",
    "198.51.100.1",
    "203.0.113.1",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fd12:3456::1",
    "fec0::1",
    "ff02::1",
]


@pytest.fixture
def sender() -> Iterator[Callable[..., HttpWebhookSender]]:
    """Makes senders that are closed after the test."""
    made: list[HttpWebhookSender] = []

    def make(**more: object) -> HttpWebhookSender:
        made.append(HttpWebhookSender(**more))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for item in made:
        item.close()


def to(*answers: Sequence[str]) -> Resolve:
    """A resolver that gives these answers, one after the other, and then the last again."""
    left = list(answers)

    def resolve(host: str, port: int) -> Sequence[str]:
        return left.pop(0) if len(left) > 1 else left[0]

    return resolve


@pytest.mark.parametrize("address", INSIDE)
def test_internal_addresses_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", [PUBLIC, "8.8.8.8", "2606:4700::6810:84e5"])
def test_global_addresses_are_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("address", INSIDE)
def test_a_host_with_internal_addresses_is_rejected_and_never_contacted(
    address: str, sender: Callable[..., HttpWebhookSender]
) -> None:
    created = sender(resolve=to([address]))
    assert created.url_problem("https://shop.example/") == "must resolve to a public address"
    with pytest.raises(Unreachable, match="does not resolve to a public address"):
        created.send("https://shop.example/", {}, b"{}")


def test_one_internal_address_among_public_ones_rejects_the_host(
    sender: Callable[..., HttpWebhookSender],
) -> None:
    created = sender(resolve=to([PUBLIC, "10.0.0.1"]))
    assert created.url_problem("https://shop.example/") == "must resolve to a public address"


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://shop.example/", "must begin with https://"),
        ("shop.example", "must begin with https://"),
        ("file:///etc/passwd", "must begin with https://"),
        ("https://", "must name a host"),
        ("https://u@shop.example/", "must not contain a user name"),
        ("https://u:p@shop.example/", "must not contain a user name"),
        ("https://shop.example/#part", "must not contain a #fragment"),
        ("https://shop.example:0/", "must have a port"),
        ("https://shop.example:99999/", "must be a URL"),
        ("https://shop.example:22/", "must have port 443"),
        ("https://shop.example:6379/", "must have port 443"),
        ("https://shop.example./", "must name a host"),
        ("https://localhost./", "must name a host"),
        ("https://zürich.example/", "ASCII"),
        ("https://shop.example/a b", "without spaces"),
        ("https://shop.example/\r\nx: y", "without spaces"),
        ("https://shop.example\\@127.0.0.1/", "without spaces"),
        ("https://2130706433/", "four decimal numbers"),
        ("https://0177.0.0.1/", "four decimal numbers"),
        ("https://0x7f.1/", "four decimal numbers"),
        ("https://127.1/", "four decimal numbers"),
        ("https://0x7f000001/", "four decimal numbers"),
        ("https://127.0.0.01/", "four decimal numbers"),
        ("https://[fe80::1%25eth0]/", "network interface"),
        ("https://127.0.0.1/", "must resolve to a public address"),
        ("https://[::1]/", "must resolve to a public address"),
        ("https://[::ffff:127.0.0.1]/", "must resolve to a public address"),
        ("https://169.254.169.254/latest/meta-data/", "must resolve to a public address"),
        ("https://localhost/", "must resolve to a public address"),
    ],
)
def test_an_invalid_url_is_rejected_with_the_reason(
    url: str, words: str, sender: Callable[..., HttpWebhookSender]
) -> None:
    created = sender()
    objection = created.url_problem(url)
    assert objection is not None
    assert words in objection
    with pytest.raises(Unreachable):
        created.send(url, {}, b"{}")


def test_an_unresolvable_host_is_refused_and_not_delivered_to(
    sender: Callable[..., HttpWebhookSender],
) -> None:
    def unknown(host: str, port: int) -> Sequence[str]:
        raise socket.gaierror("no such name")

    created = sender(resolve=unknown)
    problem = created.url_problem("https://shop.example/")
    assert problem == "must name a host that resolves: nothing was found under its name"
    with pytest.raises(Unreachable, match="its host does not resolve"):
        created.send("https://shop.example/", {}, b"{}")


def test_slow_look_ups_do_not_block_other_hosts(
    sender: Callable[..., HttpWebhookSender],
) -> None:
    let_go, requests = threading.Event(), []

    def resolve(host: str, port: int) -> Sequence[str]:
        requests.append(host)
        if host.startswith("slow"):
            let_go.wait(30)
        return ["127.0.0.1"]

    def try_slow(number: int) -> None:
        with pytest.raises(Unreachable):
            created.send(f"http://slow{number % 30}.example/", {}, b"{}")

    created = sender(loopback=True, resolve=resolve, limit_seconds=1)
    with running_receiver() as receiver, ThreadPoolExecutor(100) as pool:
        checks = [
            pool.submit(created.url_problem, f"http://slow-check{n}.example/") for n in range(40)
        ]
        slow = [pool.submit(try_slow, number) for number in range(45)]
        for item in slow:
            item.result()
        answer = created.send(f"http://well.example:{receiver.port}/", {}, b"{}")
        let_go.set()
    assert answer.status == 200
    refused = [check.exception() for check in checks if check.exception()]
    assert refused, "a host that was not looked up is not said to be unknown"
    assert all(isinstance(error, Unreachable) for error in refused)
    sent_to = [host for host in requests if host.startswith("slow") and "check" not in host]
    assert sorted(sent_to) == sorted(set(sent_to)), "one look-up for each host at a time"


def test_few_callers_wait_for_look_ups_at_once() -> None:
    """Checks wait in the threads of the API: no client may take all of them."""
    let_go, begun = threading.Event(), threading.Semaphore(0)

    def resolve(host: str, port: int) -> Sequence[str]:
        begun.release()
        let_go.wait(PATIENCE_SECONDS)
        return [PUBLIC]

    resolver = DnsResolver(resolve, max_threads=9, max_callers=2)
    with ThreadPoolExecutor(2) as pool:
        waiting = [
            pool.submit(resolver.resolve, f"slow{n}.example", 443, PATIENCE_SECONDS) for n in (1, 2)
        ]
        for _ in waiting:
            assert begun.acquire(timeout=PATIENCE_SECONDS)
        for host in ("slow1.example", "shop.example"):
            with pytest.raises(LookupsBusy):
                resolver.resolve(host, 443, PATIENCE_SECONDS)
        let_go.set()
        assert [check.result() for check in waiting] == [[PUBLIC]] * 2
    assert resolver.resolve("shop.example", 443, PATIENCE_SECONDS) == [PUBLIC]
    resolver.close()


def test_loopback_is_allowed_if_configured_and_no_other_internal_address(
    sender: Callable[..., HttpWebhookSender],
) -> None:
    created = sender(loopback=True)
    assert created.url_problem("http://127.0.0.1:4000/hook") is None
    assert created.url_problem("http://localhost:4000/hook") is None
    assert created.url_problem("http://10.0.0.1/hook") is not None
    assert created.url_problem("http://169.254.169.254/") is not None
    assert created.url_problem(f"http://{PUBLIC}/") == "must resolve to a public address"
    assert created.url_problem("https://2130706433/") is not None


def test_connections_go_to_the_checked_address(
    sender: Callable[..., HttpWebhookSender],
) -> None:
    """A name that leads to this receiver once, and elsewhere each time after it."""
    with running_receiver() as receiver:
        created = sender(loopback=True, resolve=to(["127.0.0.1"], ["10.0.0.1"]))
        answer = created.send(f"http://rebound.example:{receiver.port}/hook", {"a": "b"}, b"{}")
        assert answer.status == 200
        assert receiver.requests[0].headers["host"] == f"rebound.example:{receiver.port}"
        assert receiver.requests[0].headers["a"] == "b"
        created.send(f"http://rebound.example:{receiver.port}/hook", {}, b"{}")
        other = sender(loopback=True, resolve=to(["127.0.0.1"], ["10.0.0.1"]))
        assert other.url_problem(f"http://rebound.example:{receiver.port}/") is None
        with pytest.raises(Unreachable, match="does not resolve to a public address"):
            other.send(f"http://rebound.example:{receiver.port}/hook", {}, b"{}")
    assert len(receiver.requests) == 2


def test_proxies_of_the_environment_are_not_used() -> None:
    post = (
        "import sys; from crossway.adapters.webhooks.sender import HttpWebhookSender; "
        "print(HttpWebhookSender(loopback=True).send(sys.argv[1], {}, b'{}').body)"
    )
    names = ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
    proxied = {**os.environ, **dict.fromkeys(names, "http://127.0.0.1:9"), "no_proxy": ""}
    with running_receiver() as receiver:
        done = subprocess.run(
            [sys.executable, "-c", post, receiver.url], env=proxied, capture_output=True, timeout=60
        )
    assert done.stdout.decode().strip() == "thank you", done.stderr.decode()


def test_a_long_response_is_read_in_part(sender: Callable[..., HttpWebhookSender]) -> None:
    with running_receiver(Receiver(response_body=b"x" * 10_000_000)) as receiver:
        answer = sender(loopback=True).send(receiver.url, {}, b"{}")
    assert answer.body == "x" * 4096


def local(listener: socket.socket) -> str:
    return f"http://127.0.0.1:{listener.getsockname()[1]}"


def test_a_slow_response_ends_at_the_deadline(sender: Callable[..., HttpWebhookSender]) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    ended = threading.Event()

    def drip() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.sendall(b"HTTP/1.1 200 OK\r\n")
            while not ended.wait(0.05):
                try:
                    connection.sendall(b"x: y\r\n")
                except OSError:
                    return

    thread = threading.Thread(target=drip)
    thread.start()
    created, url = sender(loopback=True, limit_seconds=0.5), f"{local(listener)}/"
    # The response drips on until `ended` is set.
    with pytest.raises(Unreachable, match=r"within 0\.5 s"):
        created.send(url, {}, b"{}")
    ended.set()
    thread.join()
    listener.close()


def certificate(folder: Path, name: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """A server's context with a certificate for a name, and one of a client that trusts it."""
    key = ec.generate_private_key(ec.SECP256R1())
    named = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    created = (
        x509.CertificateBuilder()
        .subject_name(named)
        .issuer_name(named)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = folder / f"{name}.pem"
    secret = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    pem.write_bytes(secret + created.public_bytes(serialization.Encoding.PEM))
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(pem)
    return server, ssl.create_default_context(cafile=str(pem))


def test_the_certificate_is_verified_against_the_host_name(
    sender: Callable[..., HttpWebhookSender], tmp_path: Path
) -> None:
    server, client = certificate(tmp_path, "shop.example")
    with running_receiver(Receiver(tls=server)) as receiver:
        created = sender(loopback=True, resolve=to([str(IPv4Address("127.0.0.1"))]), tls=client)
        url = f"https://shop.example:{receiver.port}/hook"
        assert created.send(url, {}, b"{}").status == 200
        with pytest.raises(Unreachable, match="certificate verify failed"):
            created.send(f"https://other.example:{receiver.port}/hook", {}, b"{}")
    assert len(receiver.requests) == 1
