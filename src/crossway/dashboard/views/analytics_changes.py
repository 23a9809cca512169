"""Changes of the figures of Analytics in words."""

from typing import Final

from crossway.dashboard.views.formatting import format_usd
from crossway.dashboard.views.overview import Trend

BEFORE: Final = "the period before"
NONE_BEFORE: Final[tuple[str, Trend]] = (f"none in {BEFORE}", "")


def relative_change(now: int, before: int) -> tuple[str, Trend]:
    """The change of a count or amount of which more is better."""
    if now == before:
        return f"same as {BEFORE}", "same"
    if not before:
        return NONE_BEFORE
    if now >= 10 * before:
        text = f"{now // before:,}× {BEFORE}"
    else:
        # Half a per cent and less is no equality, and 100% below is nothing at all.
        percent = max(round(100 * abs(now - before) / before), 1)
        percent = min(percent, 99) if 0 < now < before else percent
        text = f"{percent}% {'above' if now > before else 'below'} {BEFORE}"
    return text, "good" if now > before else "bad"


def usd_change(now: int, before: int) -> tuple[str, Trend]:
    """The change of an amount in micro-USD that may be negative, as a difference."""
    if now == before:
        return f"same as {BEFORE}", "same"
    word = "above" if now > before else "below"
    return f"{format_usd(abs(now - before))} {word} {BEFORE}", "good" if now > before else "bad"


def point_change(part: int, whole: int, part_before: int, whole_before: int) -> tuple[str, Trend]:
    """The change of a share in percentage points."""
    if not whole:
        return "", ""
    if not whole_before:
        return NONE_BEFORE
    points = round(100 * (part / whole - part_before / whole_before), 1)
    if not points:
        return f"same as {BEFORE}", "same"
    text = f"{abs(points):.1f} points {'above' if points > 0 else 'below'} {BEFORE}"
    return text, "good" if points > 0 else "bad"
