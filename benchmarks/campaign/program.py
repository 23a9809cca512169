"""python -m benchmarks campaign: its options, and one run."""

import argparse
import random
from pathlib import Path

from benchmarks.campaign.campaign import Plan, run_campaign
from benchmarks.campaign.report import print_run, record, total


def main(arguments: list[str]) -> int:
    """Run once and print each check, or add up what was recorded; 1 if anything was violated."""
    options = _parser().parse_args(arguments)
    if options.total is not None:
        return total(options.total)
    seed = options.seed if options.seed is not None else random.randrange(10**6)
    print(f"seed {seed}", flush=True)
    run, violations, evidence = run_campaign(
        Plan(
            database=options.database,
            operations=options.operations,
            kills=options.kills,
            freezes=options.freezes,
            seed=seed,
            seconds=options.seconds,
            pace=options.pace,
            keep=options.keep,
        )
    )
    print_run(run, violations, evidence.happened)
    if options.record is not None and run.commit.endswith("+"):
        print("not recorded: the tree differs from its commit")
    elif options.record is not None:
        record(run, options.record)
    return 0 if run.clean else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m benchmarks campaign",
        description="Mixed work with faults, kills and freezes; then every unit is accounted for.",
    )
    add, plan = parser.add_argument, Plan()
    add("--database", choices=("sqlite", "postgresql"), default=plan.database)
    add("--operations", type=int, default=plan.operations, help="requests of the work")
    add("--kills", type=int, default=plan.kills, help="processes killed with SIGKILL")
    add("--freezes", type=int, default=plan.freezes, help="processes stopped beyond their lease")
    add("--seed", type=int, help="by default a random one, which is printed")
    add("--seconds", type=float, default=plan.seconds, help="limit of the work before its end")
    add("--pace", type=float, default=plan.pace, help="operations per second, at most")
    add("--keep", type=Path, help="folder in which database and logs stay; must be empty")
    add("--record", type=Path, help="file to which a run of a commit is appended as a line")
    add("--total", type=Path, help="add up the runs of such a file, and run nothing")
    return parser
