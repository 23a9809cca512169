"""How the service of a bridge is asked: how often, for how long, and how long its answers count."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import httpx

from crossway.adapters.bridges.base import load_data
from crossway.adapters.http_clients import request_deadlines
from crossway.domain.quotes import BridgeName


@dataclass(frozen=True, slots=True)
class ServiceLimits:
    """A request ends within `timeout_seconds`. No more than `requests_per_second` begin in any
    second, and `requests_per_minute` in any minute where that is set; none for `pause_seconds`
    after the service has refused one as too many. An answer that the service allows to be kept
    counts for `cache_seconds`; 0: none is kept."""

    timeout_seconds: float
    requests_per_second: int
    pause_seconds: float
    requests_per_minute: int | None = None
    cache_seconds: float = 0.0


def load_limits(bridge: BridgeName, overrides: Mapping[str, float] | None = None) -> ServiceLimits:
    """The limits in the `[service]` table of a bridge's data file, with those of the operator's
    profile instead, by field."""
    defaults = ServiceLimits(**load_data(bridge)["service"])
    return replace(defaults, **dict(overrides or {}))  # type: ignore[arg-type]


def new_http_client(limits: ServiceLimits) -> httpx.Client:
    """An HTTP client without redirects and environment proxies, which gives up a service that
    says nothing for half of the time that a request has, or does not connect in a quarter."""
    seconds = limits.timeout_seconds
    return request_deadlines.new_http_client(httpx.Timeout(seconds / 2, connect=seconds / 4))
