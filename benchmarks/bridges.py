"""Payments over bridges: what CCTP takes between two anvil chains, in time and gas, and how its
service is asked.

Two anvils with a block a second and an attestation service of ours on this machine; how long real
services take is not measured here.
"""

import heapq
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import cycle
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

from crossway.adapters.bridges.cctp.client import CctpClient
from crossway.adapters.bridges.cctp.iris import Iris
from crossway.adapters.bridges.cctp.networks import AttestationServices
from crossway.adapters.bridges.cctp.quotes import CctpQuotes
from crossway.adapters.bridges.inventory import Inventory
from crossway.adapters.bridges.service_limits import load_limits
from crossway.domain.bridge_transfer import BridgeTransfer, poll_delay_seconds
from crossway.domain.intent import Intent, State
from crossway.domain.quotes import BridgeName, RouteRequest
from crossway.usecases.pricing.bridge_quotes import fetch_bridge_quotes
from tests.bridges.attestation_service import AttestationService, running_service
from tests.bridges.cctp_chains import FAST, CctpWorld, attesting, two_cctp_chains
from tests.bridges.payments import CATALOGUE, burn_message, sent_intent, transfer
from tests.chains.live import ARBITRUM, BASE, CHAINS
from tests.contracts import bridge_gas

PAYMENTS, ATTESTATION_SECONDS, INVENTORY = 20, 8, 10_000_000_000
GOAL_DELIVERED, GOAL_PREFILLED = ATTESTATION_SECONDS + 4, 3
QUOTES, GOAL_QUOTE_P50, GOAL_QUOTE_P99 = 120, 650.0, 900.0
# What a service of the goal takes, in seconds: half of its answers 0.4, one in a hundred 5.
DELAYS = (*(0.3, 0.4, 0.5, 0.4, 0.45) * 19, 0.6, 0.8, 1.2, 2.5, 5.0)
TRANSFERS, HALF_OF_LIMIT, GOAL_DELAYED = 1_000, 17.5, 1.0
PATIENCE_SECONDS = 300
LIMITS = load_limits(BridgeName.CCTP)
# What a prototype of these contracts took, with which they are compared.
PROTOTYPE_GAS = {
    "startAndBridge (CCTP)": 249_000,
    "startAndBridge (CCTP) of 50, each": 249_000,
    "deliver (CCTP), recipient without a balance": 247_000,
    "deliver (CCTP), recipient with a balance": 230_000,
    "deliver (CCTP) of 50, recipients without a balance, each": 247_000,
    "startAndBridge (Across)": 201_000,
}
Row = tuple[str, str, str, bool]


def run() -> list[Row]:
    """(name, figure, goal, met)."""
    return [*_payments(), *_gas(), *_quotes(), *_questions()]


def _payments() -> Iterator[Row]:
    with _world(0) as world:
        world.attestations.fast_seconds = ATTESTATION_SECONDS
        yield _row("deposit to recipient, CCTP fast, no inventory", _pay(world), GOAL_DELIVERED)
    with _world(INVENTORY) as world:
        world.attestations.allowance, world.attestations.standard_seconds = "0", 1e9
        for source, to in ((ARBITRUM, BASE), (BASE, ARBITRUM)):
            name = world.services.catalogue.chains[source].name
            what = f"deposit to recipient, CCTP standard, paid in advance, from {name}"
            yield _row(what, _pay(world, source, to), GOAL_PREFILLED)


@contextmanager
def _world(inventory: int) -> Iterator[CctpWorld]:
    """A service with a running engine on two chains with a block a second."""
    with (
        TemporaryDirectory() as folder,
        two_cctp_chains(inventory) as chains,
        attesting(chains) as service,
    ):
        world = CctpWorld(Path(folder), chains, service)
        for one in chains.values():
            one.rpc("evm_setIntervalMining", 1)
        world.engine.start()
        try:
            yield world
        finally:
            world.engine.stop()
            world.close()


def _pay(world: CctpWorld, source: str = BASE, to: str = ARBITRUM) -> list[float]:
    """The seconds, and so blocks, between the block of a deposit and the block of its payout."""
    made = [world.pay(f"number {n}", source, to) for n in range(PAYMENTS)]
    time.sleep(2)
    deposits = {}
    for intent in made:
        terms = intent.terms
        deposits[intent.id] = world.anvils[source].send(intent.address, terms.deposit_amount)
        time.sleep(0.37)
    paid = _wait(world, made)
    return [
        _block_time(world, to, intent.tx_hash or "") - _block_time(world, source, deposits[i])
        for i, intent in paid.items()
    ]


def _wait(world: CctpWorld, made: Sequence[Intent]) -> dict[int, Intent]:
    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        with world.services.store.read() as unit:
            found = unit.intents.get_many([intent.id for intent in made])
        if all(intent.state is State.COMPLETED for intent in found.values()):
            return found
        assert time.monotonic() < end, world.words()
        time.sleep(0.2)


def _block_time(world: CctpWorld, chain: str, tx_id: str) -> int:
    one = world.anvils[chain]
    receipt = one.rpc("eth_getTransactionReceipt", tx_id)
    return int(one.rpc("eth_getBlockByHash", receipt["blockHash"], False)["timestamp"], 16)


def _row(what: str, blocks: Sequence[float], goal: int) -> Row:
    figure = median(blocks)
    worst = max(blocks)
    return what, f"{figure:.0f} blocks, at most {worst:.0f}", f"≤ {goal} blocks", worst <= goal


def _gas() -> Iterator[Row]:
    """What sends and deliveries take, singly and each of 50 in one transaction."""
    for what, gas in bridge_gas.measured():
        if most := PROTOTYPE_GAS.get(what):
            yield what, f"{gas:,} gas", f"≤ {most:,} gas, as the prototype", gas <= most


def _quotes() -> Iterator[Row]:
    """Quotes whose figures have expired each time, from a service as slow as the goal says."""
    with TemporaryDirectory() as folder, running_service() as service:
        ahead = _Ahead()
        service.delays = cycle(DELAYS)
        with ThreadPoolExecutor(8) as pool, _slow_world(Path(folder)) as world:
            iris = Iris(service.url, replace(LIMITS, requests_per_second=1_000))
            cctp = CctpQuotes(CATALOGUE, CHAINS, AttestationServices(iris, iris), pool, ahead)
            bridges = [cctp, Inventory(CATALOGUE)]
            request = RouteRequest(BASE, ARBITRUM, 25_000_000)
            seconds, missed, errors = [], 0, 0
            for _ in range(QUOTES):
                ahead.seconds += 600
                began = time.perf_counter()
                try:
                    answer = fetch_bridge_quotes(world.services, bridges, [request], ())
                    missed += "CCTP" not in {quote.bridge for quote in answer.quotes[0]}
                except Exception:
                    errors += 1
                seconds.append(time.perf_counter() - began)
    cuts = quantiles(seconds, n=100)
    p50, p99 = median(seconds) * 1_000, cuts[98] * 1_000
    met = p50 <= GOAL_QUOTE_P50 and p99 <= GOAL_QUOTE_P99 and not errors
    goal = f"≤ {GOAL_QUOTE_P50:.0f} and {GOAL_QUOTE_P99:.0f} ms, no error"
    shown = f"p50 {p50:.0f}, p99 {p99:.0f} ms, {errors} errors, {missed} of {QUOTES} without CCTP"
    yield "quote of a slow service (0.4 s at p50, 5 s at p99)", shown, goal, met


@dataclass
class _Ahead:
    """Monotonic seconds that go on as told."""

    seconds: float = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self.seconds


@contextmanager
def _slow_world(folder: Path) -> Iterator[object]:
    from benchmarks.worlds import service_in

    with service_in(folder) as built:
        yield built


def _questions() -> Iterator[Row]:
    """How often the service is asked about many transfers, in an hour of simulated time."""
    with running_service() as service:
        service.standard_seconds = service.fast_seconds = 1e12
        early, late = _ask_for_an_hour(service)
    goal = f"< {HALF_OF_LIMIT} a second"
    what = f"questions about {TRANSFERS:,} transfers sent at once, busiest ten seconds"
    yield what, f"{early:.1f} a second", goal, early < HALF_OF_LIMIT
    what, goal = (
        f"questions about {TRANSFERS:,} delayed transfers",
        f"< {GOAL_DELAYED:.0f} a second",
    )
    yield what, f"{late:.2f} a second", goal, late < GOAL_DELAYED


def _ask_for_an_hour(service: AttestationService) -> tuple[float, float]:
    """The most questions a second in ten of them, and those a second in the last 20 minutes of an
    hour."""
    clock = [0.0]

    def wait(seconds: float) -> None:
        clock[0] += seconds

    due: list[tuple[float, int]] = []
    followed: dict[int, tuple[BridgeTransfer, Intent]] = {}
    for number in range(TRANSFERS):
        intent = sent_intent(number + 1)
        message, tx_id = burn_message(intent), f"0x{number:064x}"
        service.add(CATALOGUE.chains[BASE].cctp_domain or 0, tx_id, message)
        followed[number] = transfer(intent, source_tx=tx_id, sent_message=message), intent
        heapq.heappush(due, (8.0, number))
    by_second: dict[int, int] = {}
    iris = Iris(service.url, LIMITS, lambda: clock[0], wait)
    with closing(iris), ThreadPoolExecutor(8) as pool:
        bridge = CctpClient(CATALOGUE, AttestationServices(iris, iris), {}, {FAST}, pool)
        while clock[0] < 3_600:
            clock[0] += 1.0
            batch = []
            while due and due[0][0] <= clock[0] and len(batch) < 50:
                batch.append(heapq.heappop(due)[1])
            before = len(service.requests)
            with suppress(Exception):
                bridge.track([followed[number] for number in batch])
            by_second[int(clock[0])] = len(service.requests) - before
            for number in batch:
                asked, intent = followed[number]
                followed[number] = replace(asked, poll_count=asked.poll_count + 1), intent
                delay = poll_delay_seconds(asked.poll_count)
                heapq.heappush(due, (clock[0] + delay, number))
    last = [count for second, count in by_second.items() if second > 2_400]
    tens: dict[int, int] = {}
    for second, count in by_second.items():
        tens[second // 10] = tens.get(second // 10, 0) + count
    return max(tens.values()) / 10, sum(last) / len(last)
