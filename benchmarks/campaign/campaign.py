"""One run of the campaign, from an empty database to the checks at its end."""

import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.campaign.check_payments import Violation
from benchmarks.campaign.client import Client
from benchmarks.campaign.ending import let_it_end, list_payments
from benchmarks.campaign.evidence import Evidence
from benchmarks.campaign.facts import Facts, Holding, reading
from benchmarks.campaign.faults import Murder, Weather
from benchmarks.campaign.installation import Processes, running_processes
from benchmarks.campaign.market import Market
from benchmarks.campaign.receiver import Receiver
from benchmarks.campaign.report import Run, count_violations, current_commit
from benchmarks.campaign.tally import Tally
from benchmarks.campaign.work import Work

RATE_PER_MINUTE = "100000"


@dataclass(frozen=True)
class Plan:
    """What a run does: it ends when all three numbers are reached, or `seconds` are over.

    `pace` is the most operations per second; `keep` is a folder for database and logs.
    """

    database: str = "sqlite"
    operations: int = 2_000
    kills: int = 20
    freezes: int = 2
    seed: int = 1
    seconds: float = 3_600
    pace: float = 60
    life_seconds: int = 600
    ending_seconds: float = 900
    keep: Path | None = None

    @property
    def inventory(self) -> bool:
        """Whether payments out of inventory alone are offered too: for every second seed, as they
        are mostly cheaper than a swap and would leave few of those."""
        return self.seed % 2 == 0


def run_campaign(plan: Plan) -> tuple[Run, list[Violation], Evidence]:
    """Carry out a plan; returns the run, every violation, and what they were found in."""
    with tempfile.TemporaryDirectory() as folder:
        where = plan.keep or Path(folder)
        where.mkdir(parents=True, exist_ok=True)
        tally = Tally()
        running = running_processes(plan.database, where, tally, plan.life_seconds, plan.inventory)
        with running as (processes, url):
            return _Campaign(plan, tally, processes, url).run()


class _Campaign:
    def __init__(self, plan: Plan, tally: Tally, processes: Processes, url: str) -> None:
        self._plan, self._tally, self._processes, self._url = plan, tally, processes, url
        self._receiver = Receiver(plan.seed)
        self._began_at, self._commit = time.monotonic(), current_commit()

    def run(self) -> tuple[Run, list[Violation], Evidence]:
        """Begin, work under faults, end, check."""
        plan, tally = self._plan, self._tally
        self._processes.start_all()
        arguments = ("--client", "Campaign", "--mode", "live", "--rate", RATE_PER_MINUTE)
        api_key = self._processes.command("keys", "create", "--quiet", *arguments)
        client = Client(self._processes.base, api_key, tally, plan.seed)
        market = Market(_first(client, "GET", "/chains/tokens/all"))
        _first(client, "POST", "/webhooks", {"url": self._receiver.url})
        with reading(self._url) as database:
            opening = database.holdings()
        work = Work(client, market, tally, plan.seed, plan.pace)
        weather = Weather(client, market, self._receiver, tally, plan.seed)
        weather.inventory = _inventory(market, opening)
        murder = Murder(
            self._processes, tally, plan.seed, plan.operations, plan.kills, plan.freezes
        )
        for part in (work, weather, murder):
            part.start()
        self._wait(murder)
        murder.stop()
        weather.stop()
        left = let_it_end(self._url, self._processes, weather, work, plan.ending_seconds)
        evidence = self._evidence(client, opening, work, left)
        self._receiver.close()
        client.close()
        violations = evidence.violations()
        return self._summary(evidence.facts, violations), violations, evidence

    def _wait(self, murder: Murder) -> None:
        end, said = time.monotonic() + self._plan.seconds, 0
        while time.monotonic() < end:
            tally = self._tally
            if tally.operations >= self._plan.operations and murder.done:
                return
            if tally.operations // 1_000 > said:
                said = tally.operations // 1_000
                print(f"  {tally.operations} operations, {tally.kills} kills", flush=True)
            time.sleep(0.5)

    def _evidence(
        self, client: Client, opening: dict[Holding, int], work: Work, left: dict[str, int]
    ) -> Evidence:
        listed = list_payments(client)
        with reading(self._url) as database:
            facts = Facts(database, opening)
        logs = self._processes.logs()
        accepted, tally = self._receiver.accepted, self._tally
        kinds = Counter(f"payment {payment.kind}" for payment in work.payments)
        kinds["chain taken over"] = facts.lease_changes
        return Evidence(
            facts,
            work.payments,
            accepted,
            listed,
            left,
            tally.problems,
            logs,
            tally.by_kind | kinds,
        )

    def _summary(self, facts: Facts, violations: Sequence[Violation]) -> Run:
        kinds = self._tally.by_kind
        return Run(
            date=f"{datetime.now(UTC):%Y-%m-%d %H:%M}",
            commit=self._commit,
            database=self._plan.database,
            seed=self._plan.seed,
            seconds=round(time.monotonic() - self._began_at),
            operations=self._tally.operations,
            kills=self._tally.kills,
            freezes=self._tally.freezes,
            faults=sum(n for kind, n in kinds.items() if kind.startswith("fault ")),
            payments=dict(Counter(row["state"] for row in facts.intents).most_common()),
            events=len(facts.outbox),
            violations=count_violations(violations),
        )


def _first(client: Client, method: str, path: str, body: Any = None) -> Any:
    """The answer of a request before any fault."""
    answer = client.once(method, path, body, client.new_key())
    assert answer is not None, f"{path} was not answered"
    assert answer.ok, answer.json
    return answer.json


def _inventory(market: Market, opening: dict[Holding, int]) -> dict[tuple[str, str], str]:
    """The relayer's opening balance of each token: nobody else has several."""
    amounts: dict[tuple[str, str], str] = {}
    for chain, tokens in market.tokens.items():
        addresses = Counter(address for c, address, _ in opening if c == chain)
        [(relayer, _)] = addresses.most_common(1)
        for token in tokens:
            units = opening.get((chain, relayer, token["address"]), 0)
            if units and token["symbol"] in ("USDC", "USDT"):
                amounts[chain, token["symbol"]] = str(units)
    return amounts
