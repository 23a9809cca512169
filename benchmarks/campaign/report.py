"""What a run found: printed, recorded as one line of JSON, and added up against the goal."""

import json
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.campaign.check_payments import Violation

ROOT = Path(__file__).parents[2]
CHECKS = (
    "lost",
    "paid twice",
    "unended",
    "books",
    "chain",
    "events",
    "answers",
    "alerts",
    "logs",
)
RECORDED = "benchmarks/campaign_runs.jsonl"
GOAL = {"operations": 100_000, "kills": 1_000, "freezes": 100}
SHOWN = 8


@dataclass(frozen=True)
class Run:
    """One run; `violations` has a count for each check. Where there are some, `note` says what was
    found and where it was mended; it is written by hand."""

    date: str
    commit: str
    database: str
    seed: int
    seconds: int
    operations: int
    kills: int
    freezes: int
    faults: int
    payments: dict[str, int]
    events: int
    violations: dict[str, int]
    note: str = ""

    @property
    def clean(self) -> bool:
        """Whether nothing was violated."""
        return not any(self.violations.values())


def count_violations(violations: Sequence[Violation]) -> dict[str, int]:
    """How many violations each check found."""
    counts = Counter(check for check, _ in violations)
    return {check: counts[check] for check in CHECKS}


def print_run(run: Run, violations: Sequence[Violation], happened: Mapping[str, int]) -> None:
    """One line for the run, one of what happened how often, and one for each check, with its
    first violations."""
    ends = ", ".join(f"{n} {state}" for state, n in run.payments.items())
    print(
        f"{run.database}, seed {run.seed}: {run.operations} operations, {run.kills} kills, "
        f"{run.freezes} freezes, {run.faults} faults in {run.seconds} s; payments: {ends}; "
        f"{run.events} events"
    )
    print("; ".join(f"{n} {what}" for what, n in sorted(happened.items())))
    for check, count in run.violations.items():
        print(f"{'MISS' if count else 'ok  '}  {check}: {count}")
        for sentence in [text for name, text in violations if name == check][:SHOWN]:
            print(f"        {sentence}")


def record(run: Run, file: Path) -> None:
    """Append a run to a file."""
    with file.open("a") as lines:
        lines.write(json.dumps(asdict(run)) + "\n")


def total(file: Path) -> int:
    """Print the sum of the recorded runs without a violation beside the goal, and what the others
    found; 0 if the goal is met and each finding has its note."""
    runs = [Run(**json.loads(line)) for line in file.read_text().splitlines()]
    clean, found = [r for r in runs if r.clean], [r for r in runs if not r.clean]
    sums = {name: sum(getattr(run, name) for run in clean) for name in GOAL}
    met = [sums[name] >= goal for name, goal in GOAL.items()]
    print(f"{len(runs)} runs, of them {len(clean)} without a violation, which count")
    for (name, goal), reached in zip(GOAL.items(), met, strict=True):
        print(f"{'ok  ' if reached else 'MISS'}  {name}: {sums[name]}  (goal {goal})")
    for run in found:
        violations = ", ".join(f"{check}: {n}" for check, n in run.violations.items() if n)
        print(f"found by seed {run.seed} on {run.database} at {run.commit}: {violations}")
        print(f"        {run.note or 'not mended yet'}")
    return 0 if all(met) and all(run.note for run in found) else 1


def current_commit() -> str:
    """The commit of the tree; `+` says that the tree differs from it in more than recorded runs."""
    commit = _git("rev-parse", "--short=12", "HEAD") or "unknown"
    return commit + ("+" if _git("status", "--porcelain", "--", ".", f":!{RECORDED}") else "")


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip()
