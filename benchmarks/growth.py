"""What the engine costs for each payment with few and with many payments stored."""

from benchmarks.engine_work import measure

STORED, ARRIVING, TOTAL, GOAL = (1_000, 1_000_000), 50, 3_000, 1.1


def run(
    stored: tuple[int, int] = STORED, size: int = ARRIVING, total: int = TOTAL
) -> list[tuple[str, str, str, bool]]:
    """(name, figure, goal, met)."""
    few, many = (measure(size, total, stored=count) for count in stored)
    ratio = many.seconds / few.seconds
    ms, kb = (
        [spent.seconds / total * 1_000 for spent in (few, many)],
        [spent.written / total / 1_000 for spent in (few, many)],
    )
    counts = " / ".join(f"{count:,}" for count in stored)
    figure = f"{ms[0]:.2f} / {ms[1]:.2f}, {ratio:.2f} times; KB written {kb[0]:.0f} / {kb[1]:.0f}"
    name = f"engine, ms of processor a payment with {counts} stored"
    return [(name, figure, f"<= {GOAL} times", ratio <= GOAL)]
