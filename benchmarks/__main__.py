"""Runs the benchmarks and prints each figure, its goal, and whether it is met.

python -m benchmarks [name …]; the names are quotes, live_quotes, ramps, commits, lifecycles,
engine_work, growth, database_work, engines, partitions, deposits, indexer, serving, creates,
deliveries, lookups, lists, overviews, trackers, books, analytics, evm, watching, first_paint,
start, stalls, bridges, gateway, treasury, open_tab, wallet_payments, standing, scaling

python -m benchmarks campaign [options] is a long run under faults, and
python -m benchmarks tasks [options] performs operators' tasks in a browser; see their --help.
"""

import importlib
import os
import platform
import sys

NAMES = (
    "quotes",
    "live_quotes",
    "ramps",
    "commits",
    "lifecycles",
    "engine_work",
    "growth",
    "database_work",
    "engines",
    "partitions",
    "deposits",
    "indexer",
    "serving",
    "creates",
    "deliveries",
    "lookups",
    "lists",
    "overviews",
    "trackers",
    "books",
    "analytics",
    "evm",
    "watching",
    "first_paint",
    "start",
    "stalls",
    "bridges",
    "gateway",
    "treasury",
    "open_tab",
    "wallet_payments",
    "standing",
    "scaling",
)
# Those with options of their own; they run only if they are named.
PROGRAMS = {
    "campaign": "benchmarks.campaign.program",
    "tasks": "benchmarks.operator_tasks.program",
}


def main(names: list[str]) -> int:
    """Print one row per figure; exits with 0 even if a goal is missed, because machines differ."""
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    if names and names[0] in PROGRAMS:
        return int(importlib.import_module(PROGRAMS[names[0]]).main(names[1:]))
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        print(f"no such benchmark: {', '.join(unknown)}; there are {', '.join(NAMES)}")
        return 2
    for name in names or NAMES:
        for what, figure, goal, met in importlib.import_module(f"benchmarks.{name}").run():
            print(f"{'ok  ' if met else 'MISS'}  {what}: {figure}  (goal {goal})", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
