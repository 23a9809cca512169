"""`/metrics` in the Prometheus format: requests, payments, chains, inventory."""

import hmac
from collections.abc import Iterator, Mapping

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import Response

from crossway.api.client_ip import is_local_request
from crossway.api.errors import STARTING, error_response
from crossway.domain.error_codes import ErrorCode
from crossway.domain.success import SUCCESS_MEANING
from crossway.ports.services import Services
from crossway.usecases.operating.metrics import Metrics, collect_metrics

PATH = "/metrics"
TOKEN_REQUIRED = (
    "Set CROSSWAY_METRICS_TOKEN and send it as a bearer token, or ask from this machine"
)
# Seconds: most responses take a few milliseconds, bridge quotes up to some seconds.
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class RequestMetrics:
    """Requests of one API and their durations, by route template, method and status."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "crossway_requests",
            "Requests by status; status 0 means no response was sent.",
            ["route", "method", "status"],
            registry=self.registry,
        )
        self.seconds = Histogram(
            "crossway_request_seconds",
            "Duration from the first byte of a request to the last byte of its response.",
            ["route", "method"],
            buckets=BUCKETS,
            registry=self.registry,
        )
        # Finding them by their labels takes longer than counting.
        self._found: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}

    def record(self, path: str, method: str, status: int, seconds: float) -> None:
        """Count a request and its duration."""
        found = self._found.get((path, method, status))
        if found is None:
            found = self.requests.labels(path, method, status), self.seconds.labels(path, method)
            self._found[path, method, status] = found
        found[0].inc()
        found[1].observe(seconds)


def metrics(request: Request) -> Response:
    """Every metric. Needs the metrics token; without a configured token, a request from this
    machine."""
    app = request.scope["app"]
    services: Services | None = getattr(app.state, "services", None)
    if services is None:
        return error_response(503, STARTING, ErrorCode.STARTING)
    if not _is_allowed(request, services):
        headers = {"www-authenticate": "Bearer"}
        return error_response(401, TOKEN_REQUIRED, ErrorCode.UNAUTHORIZED, headers)
    body = generate_latest(app.state.metrics.registry) + generate_latest(_ServiceMetrics(services))
    return Response(body, headers={"content-type": CONTENT_TYPE_PLAIN_0_0_4})


def _is_allowed(request: Request, services: Services) -> bool:
    token = services.policy.ingress.metrics_token.encode()
    if not token:
        return is_local_request(request.scope, services.policy.ingress)
    authorization = request.headers.get("authorization", "").encode("latin-1")
    return authorization[:7].lower() == b"bearer " and hmac.compare_digest(
        authorization[7:].strip(), token
    )


class _ServiceMetrics(Collector):
    """Gauges of the service, collected at each scrape."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Every gauge."""
        metrics = collect_metrics(self._services)
        yield from _payment_gauges(metrics)
        yield from _chain_gauges(metrics)
        yield _gauge("alarms", "Active alerts by kind.", "kind", metrics.alerts)
        yield _plain(
            "webhook_queue", "Deliveries waiting for an attempt.", metrics.webhooks_waiting
        )
        yield _plain(
            "webhook_oldest_seconds",
            "Seconds by which the oldest of them is overdue.",
            metrics.webhooks_oldest_seconds,
        )
        yield _plain(
            "request_log_waiting",
            "Requests not yet written to the request log.",
            metrics.requests_waiting,
        )


def _payment_gauges(metrics: Metrics) -> Iterator[GaugeMetricFamily]:
    yield _gauge("intents", "Payment intents by state.", "state", metrics.intents)
    yield _gauge(
        "funded_payments_ended_24h",
        f"Funded payments that ended in the last 24 hours. {SUCCESS_MEANING}",
        "outcome",
        metrics.ended,
    )
    inventory = GaugeMetricFamily(
        "crossway_relayer_stock",
        "Relayer balance in whole tokens, read at most every 15 seconds.",
        labels=["chain", "token"],
    )
    for (chain, symbol), balance in metrics.inventory.items():
        inventory.add_metric([chain, symbol], float(balance))
    yield inventory


def _chain_gauges(metrics: Metrics) -> Iterator[GaugeMetricFamily]:
    lag = {
        c: metrics.heads[c] - height for c, height in metrics.scanned.items() if c in metrics.heads
    }
    yield _gauge("chain_height", "Newest block of a chain.", "chain", metrics.heads)
    yield _gauge("engine_height", "Newest scanned block.", "chain", metrics.scanned)
    yield _gauge("engine_lag_blocks", "Blocks not scanned yet.", "chain", lag)
    yield _gauge(
        "engine_pass_age_seconds",
        "Seconds since this process's engine completed a pass of this chain.",
        "chain",
        metrics.pass_ages,
    )


def _gauge(
    name: str, description: str, label: str, values: Mapping[str, float | int]
) -> GaugeMetricFamily:
    family = GaugeMetricFamily(f"crossway_{name}", description, labels=[label])
    for key, value in values.items():
        family.add_metric([key], value)
    return family


def _plain(name: str, description: str, value: float | int) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"crossway_{name}", description, value=value)
