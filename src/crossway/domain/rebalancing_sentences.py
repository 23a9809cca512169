"""The sentences of a rebalancing plan: why a transfer is planned, and why a lack is not served."""

from collections.abc import Sequence

from crossway.domain.money import format_units
from crossway.domain.rebalancing import LocationBalance, RebalancingPolicy


def describe_lack(
    at: LocationBalance, policy: RebalancingPolicy, units: int, is_urgent: bool
) -> str:
    """Why a location gets inventory."""
    del units
    if is_urgent:
        return f"Payouts on {at.name} wait for {format_held(at, at.waiting)}."
    has, least = format_held(at, at.virtual), format_held(at, policy.minimum)
    expects = " with what is on its way" if at.arriving or at.expected else ""
    return f"{at.name} has {has}{expects}, less than its minimum of {least}."


def describe_excess(
    at: LocationBalance, policy: RebalancingPolicy, units: int, is_urgent: bool
) -> str:
    """Why inventory leaves a location."""
    del units, is_urgent
    has, most = format_held(at, at.available), format_held(at, policy.maximum)
    return f"{at.name} has {has}, more than its maximum of {most}."


def describe_refusals(
    at: LocationBalance,
    missing: int,
    best: LocationBalance | None,
    spare: int,
    reasons: Sequence[str],
) -> str:
    """Why a lack is not served: `best` is the source with the most to spare, and `reasons` say
    what forbids to move that."""
    lacks = f"{at.name} lacks {format_held(at, missing)}"
    if at.pico_usd is None:
        return f"{lacks}, and the price of {at.group[0]} is unknown."
    if best is None:
        return f"{lacks}, and no other location with a policy holds {at.group[0]}."
    if not spare:
        return f"{lacks}, and no other location has any to spare."
    offered = f"{best.name} has {format_held(best, spare)} to spare"
    why = "; ".join(dict.fromkeys(reasons)).rstrip(".")
    return f"{lacks}; {offered}, but {why}."


def format_held(at: LocationBalance, units: int) -> str:
    """An amount of the token of a location: `1,250.5 USDC`."""
    whole, dot, fraction = format_units(units, at.decimals).partition(".")
    return f"{int(whole):,}{dot}{fraction} {at.group[0]}"
