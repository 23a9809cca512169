"""Confirmations of refunds: what was shown is what is done, once, and soon."""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass

LIFE_SECONDS = 600.0
AT_MOST = 100


@dataclass(frozen=True, slots=True)
class ShownRefund:
    """What was shown before a refund: the payment, and where its money would go."""

    address: str
    refund_address: str
    status: str


class Confirmations:
    """The tokens of shown refunds; each is good for one call within ten minutes of this process."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._shown: dict[str, tuple[float, ShownRefund]] = {}

    def issue(self, refund: ShownRefund) -> str:
        """A new token for what is shown now."""
        now = self._clock()
        self._shown = {t: kept for t, kept in self._shown.items() if kept[0] > now}
        while len(self._shown) >= AT_MOST:
            del self._shown[next(iter(self._shown))]
        token = secrets.token_urlsafe(12)
        self._shown[token] = (now + LIFE_SECONDS, refund)
        return token

    def redeem(self, token: str, refund: ShownRefund) -> bool:
        """Whether exactly this refund was shown under the token, which is used up."""
        ends, shown = self._shown.pop(token, (0.0, None))
        return shown == refund and ends > self._clock()
