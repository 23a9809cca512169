"""The cost of watching 1,000 addresses on a chain of each family: requests and time.

Seconds of a pass are compared with a bare request to the same node in the same run, so that the
figure says little about the machine. A pass asks for the head and scans what came since; a block
comes between two passes, with a payment to one of the addresses in every fourth.
"""

import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import httpx

from crossway.adapters.chains.addresses import keccak256
from crossway.ports.chain import Chain, Cursor
from tests.chains.counting import Counting, counted
from tests.chains.families import BARE, CATALOGUE, RUNNING, opened
from tests.chains.service import Hands
from tests.simulation import AddressWatch

PENDING, PASSES, BARE_ASKED = 1_000, 20, 200
Row = tuple[str, str, str, bool]


def run() -> list[Row]:
    """(name, figure, goal, met)."""
    return [_of_family(name) for name in RUNNING]


def _of_family(name: str) -> Row:
    kind = CATALOGUE.chains[name].kind
    with TemporaryDirectory() as folder, RUNNING[name]() as hands, counted(hands.url) as front:
        created = opened(Path(folder), hands, front.url)
        try:
            return _watched(kind, created.chain, hands, front)
        finally:
            created.chain.close()


def _watched(kind: str, chain: Chain, hands: Hands, front: Counting) -> Row:
    addresses = [
        chain.deposit_address("0x" + keccak256(f"pending {n}".encode()).hex())
        for n in range(PENDING)
    ]
    watch = AddressWatch(*addresses)
    heads = chain.heads()
    cursor = chain.scan(Cursor(heads.height, heads.block_hash), watch).cursor
    durations, found, paid = [], 0, 0
    front.forget()
    for index in range(PASSES):
        if index % 4 == 0:
            hands.pay(addresses[index], 1_000_000)
            paid += 1
        hands.mine()
        began = time.perf_counter()
        chain.heads()
        observed = chain.scan(cursor, watch)
        durations.append(time.perf_counter() - began)
        cursor, found = observed.cursor, found + len(observed.incoming)
    requests, calls = front.requests / PASSES, sum(front.methods.values()) / PASSES
    seconds, bare = median(durations), _bare(hands.chain, front)
    label = f"{kind}: a pass over {PENDING} pending payments"
    figure = (
        f"{requests:.1f} requests with {calls:.1f} calls, {seconds * 1000:.0f} ms, "
        f"{seconds / bare:.0f} x a bare request of {bare * 1000:.1f} ms; {found} of {paid} seen"
    )
    return (label, figure, "all seen", found == paid)


def _bare(name: str, front: Counting) -> float:
    path, body = BARE[name]
    durations = []
    with httpx.Client(trust_env=False) as client:
        for _ in range(BARE_ASKED):
            began = time.perf_counter()
            client.post(front.url + path, json=body).raise_for_status()
            durations.append(time.perf_counter() - began)
    return median(durations)
