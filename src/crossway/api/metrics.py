"""What monitoring asks for, in the words of Prometheus: requests, payments, chains, stock."""

import hmac
from collections.abc import Iterator, Mapping

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import Response

from crossway.api.errors import plain
from crossway.api.headers import header
from crossway.api.origins import is_this_machine
from crossway.ports.services import Services
from crossway.usecases.operating.measuring import Measured, measure

PATH = "/metrics"
NOT_HERE = "Set CROSSWAY_METRICS_TOKEN and send it as a bearer token, or ask from this machine"
# Seconds: most answers take a few milliseconds, quotes of bridges up to some seconds.
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class Metrics:
    """The requests that one API answered, counted by route, method and status."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._answered = Counter(
            "crossway_requests",
            "Requests answered; status 0 was never answered.",
            ["route", "method", "status"],
            registry=self.registry,
        )
        self._seconds = Histogram(
            "crossway_request_seconds",
            "From the first byte of a request to the last of its answer.",
            ["route", "method"],
            buckets=BUCKETS,
            registry=self.registry,
        )

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one request by its route's template."""
        self._answered.labels(route, method, status).inc()
        self._seconds.labels(route, method).observe(seconds)


def metrics(request: Request) -> Response:
    """All figures; asks for the token where there is one, else for a caller on this machine."""
    app = request.scope["app"]
    services: Services | None = getattr(app.state, "services", None)
    if services is None:
        return plain(503, "Starting. Please try again in a moment.")
    if not _may_read(request, services):
        return plain(401, NOT_HERE, {"www-authenticate": "Bearer"})
    body = generate_latest(app.state.metrics.registry) + generate_latest(_Figures(services))
    return Response(body, headers={"content-type": CONTENT_TYPE_PLAIN_0_0_4})


def _may_read(request: Request, services: Services) -> bool:
    token = services.doors.metrics_token.encode()
    if not token:
        return is_this_machine(request.scope, services.doors)
    given = header(request.scope, b"authorization") or b""
    return given[:7].lower() == b"bearer " and hmac.compare_digest(given[7:].strip(), token)


class _Figures(Collector):
    """What the service knows of itself, as it stands at one scrape."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Every gauge."""
        found = measure(self._services)
        yield from _of_money(found)
        yield from _of_chains(found)
        yield _gauge("alarms", "Active alarms by kind.", "kind", found.alarms)
        yield _plain("webhook_queue", "Deliveries that wait for a try.", found.webhooks_waiting)
        yield _plain(
            "webhook_oldest_seconds",
            "How long the oldest of them is overdue.",
            found.webhooks_oldest_seconds,
        )
        yield _plain(
            "request_log_waiting", "Requests not in the request log yet.", found.requests_waiting
        )


def _of_money(found: Measured) -> Iterator[GaugeMetricFamily]:
    yield _gauge("intents", "Payment intents by state.", "state", found.intents)
    stock = GaugeMetricFamily(
        "crossway_relayer_stock",
        "What the relayer holds, in whole tokens; asked at most every 15 seconds.",
        labels=["chain", "token"],
    )
    for (chain, symbol), held in found.stock.items():
        stock.add_metric([chain, symbol], float(held))
    yield stock


def _of_chains(found: Measured) -> Iterator[GaugeMetricFamily]:
    lag = {c: found.heads[c] - height for c, height in found.scanned.items() if c in found.heads}
    yield _gauge("chain_height", "Newest block of a chain.", "chain", found.heads)
    yield _gauge("engine_height", "Newest block that was scanned.", "chain", found.scanned)
    yield _gauge("engine_lag_blocks", "Blocks not scanned yet.", "chain", lag)
    yield _gauge(
        "engine_pass_age_seconds",
        "Since this process's engine last ended a pass with this chain.",
        "chain",
        found.pass_ages,
    )


def _gauge(
    name: str, about: str, label: str, values: Mapping[str, float | int]
) -> GaugeMetricFamily:
    family = GaugeMetricFamily(f"crossway_{name}", about, labels=[label])
    for key, value in values.items():
        family.add_metric([key], value)
    return family


def _plain(name: str, about: str, value: float | int) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"crossway_{name}", about, value=value)
