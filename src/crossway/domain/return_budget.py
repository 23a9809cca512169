"""What sending money back may cost the operator on one chain."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

_DAY, _MICROSECOND = timedelta(days=1), timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class ReturnBudget:
    """What returns on a chain may still cost us, in micro-USD.

    Fees bring `earned_micro_usd`: every quote bears a share of a refund. `allowance_micro_usd` is
    what the operator adds: it refills evenly over a day, up to a day's amount.
    """

    chain: str
    earned_micro_usd: int
    allowance_micro_usd: int
    updated_at: datetime

    @property
    def micro_usd(self) -> int:
        """What may be spent now."""
        return self.earned_micro_usd + self.allowance_micro_usd

    def refilled(self, now: datetime, per_day: int) -> "ReturnBudget":
        """With the allowance as it has refilled until now, at `per_day` micro-USD."""
        if now < self.updated_at:
            # The clock was ahead: it refills from now on.
            allowance = min(per_day, self.allowance_micro_usd)
            return replace(self, allowance_micro_usd=allowance, updated_at=now)
        # More than a day refills no more than a day.
        elapsed = min(now - self.updated_at, _DAY)
        added, rest = divmod(per_day * (elapsed // _MICROSECOND), _DAY // _MICROSECOND)
        if not added and self.allowance_micro_usd <= per_day:
            # Kept as it is, so that many short times add up.
            return self
        allowance = min(per_day, self.allowance_micro_usd + added)
        unused = rest // per_day * _MICROSECOND if per_day else timedelta()
        return replace(self, allowance_micro_usd=allowance, updated_at=now - unused)

    def earn(self, micro_usd: int) -> "ReturnBudget":
        """With what fees have brought."""
        return replace(self, earned_micro_usd=self.earned_micro_usd + micro_usd)

    def spend(self, micro_usd: int) -> "ReturnBudget":
        """Without the cost of a return, which must not exceed `micro_usd`."""
        earned = min(self.earned_micro_usd, micro_usd)
        return replace(
            self,
            earned_micro_usd=self.earned_micro_usd - earned,
            allowance_micro_usd=self.allowance_micro_usd - (micro_usd - earned),
        )

    def time_until(self, micro_usd: int, per_day: int) -> timedelta | None:
        """How long until so much may be spent; None where the allowance never reaches it."""
        missing = micro_usd - self.micro_usd
        if missing <= 0:
            return timedelta()
        if self.earned_micro_usd + per_day < micro_usd:
            return None
        return timedelta(seconds=-(-missing * 86_400 // per_day))


def full_budget(chain: str, now: datetime, per_day: int) -> ReturnBudget:
    """The budget of a chain on which nothing was returned yet."""
    return ReturnBudget(chain, 0, per_day, now)
