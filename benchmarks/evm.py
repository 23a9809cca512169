"""Real EVM chains: latency from deposit to payout, cost of watching, and 500 deposits at once.

Two anvils of this machine with a block a second; a confirmation is the block that a thing is in.
"""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTxKind
from tests.chains.anvil import RELAYER, Anvil
from tests.chains.front import Front, front_of
from tests.chains.live import ARBITRUM, BASE, LiveWorld, two_chains, write_profile

PAYMENTS, PENDING, AT_ONCE = 40, 1_000, 500
GOAL_BLOCKS, GOAL_CALLS = 3, 4
WATCHED_BLOCKS = 20
PATIENCE_SECONDS = 300
Row = tuple[str, str, str, bool]


@dataclass
class Ground:
    """Two chains behind counting proxies, and a service with a running engine."""

    anvils: dict[str, Anvil]
    fronts: dict[str, Front]
    world: LiveWorld


def run() -> list[Row]:
    """(name, figure, goal, met)."""
    with _ground() as ground:
        return [*_soon(ground), *_at_once(ground), *_watching(ground)]


@contextmanager
def _ground() -> Iterator[Ground]:
    with TemporaryDirectory() as folder, two_chains() as anvils, ExitStack() as stack:
        fronts = {c: stack.enter_context(front_of(one)) for c, one in anvils.items()}
        profile = write_profile(
            Path(folder), {c: [one.url] for c, one in fronts.items()}, fast=0, poll_seconds=0.4
        )
        world = LiveWorld(Path(folder), anvils, profile)
        for anvil in anvils.values():
            anvil.rpc("evm_setIntervalMining", 1)
        world.service.run_engine()
        try:
            yield Ground(anvils, fronts, world)
        finally:
            world.close()


def _wait(ground: Ground, made: list[Intent]) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    ids = [intent.id for intent in made]
    while True:
        with ground.world.services.store.read() as unit:
            result = unit.intents.get_many(ids).values()
        if all(intent.state is State.COMPLETED for intent in result):
            return
        assert time.monotonic() < end, ground.world.words()
        time.sleep(0.2)


def _soon(ground: Ground) -> list[Row]:
    """Destination blocks between deposit and fill, by block times."""
    created = [ground.world.pay(f"soon {n}") for n in range(PAYMENTS)]
    time.sleep(2)
    for intent in created:
        ground.anvils[BASE].send(intent.address, intent.terms.deposit_amount)
        time.sleep(0.37)
    _wait(ground, created)
    taken = [_blocks(ground, intent) for intent in created]
    middle, late = median(taken), quantiles(taken, n=20)[-1]
    what, goal = "deposit mined to fill mined, in blocks of 1 s", f"<= {GOAL_BLOCKS}"
    return [
        (
            f"{what}, median of {PAYMENTS}",
            f"{middle:g}",
            f"<= {GOAL_BLOCKS}",
            middle <= GOAL_BLOCKS,
        ),
        (f"{what}, p95", f"{late:g}", goal, late <= GOAL_BLOCKS),
    ]


def _blocks(ground: Ground, intent: Intent) -> float:
    with ground.world.services.store.read() as unit:
        deposit = unit.deposits.list_by_intents([intent.id])[0]
        fill = unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.FILL)[0]
    receipt = ground.anvils[ARBITRUM].rpc("eth_getTransactionReceipt", fill.tx_id)
    block = ground.anvils[ARBITRUM].rpc("eth_getBlockByNumber", receipt["blockNumber"], False)
    return int(block["timestamp"], 16) - deposit.incoming.at.timestamp()


def _at_once(ground: Ground) -> list[Row]:
    """Many deposits in one block: all are filled, and every relayer nonce is used."""
    arbitrum, base = ground.anvils[ARBITRUM], ground.anvils[BASE]
    created = [ground.world.pay(f"at once {n}") for n in range(AT_ONCE)]
    first = int(arbitrum.rpc("eth_getTransactionCount", RELAYER, "latest"), 16)
    base.rpc("evm_setIntervalMining", 0)
    for intent in created:
        base.send(intent.address, intent.terms.deposit_amount)
    base.mine()
    began = time.perf_counter()
    base.rpc("evm_setIntervalMining", 1)
    _wait(ground, created)
    seconds = time.perf_counter() - began
    with ground.world.services.store.read() as unit:
        deposits = unit.deposits.list_by_intents([intent.id for intent in created])
        attempts = unit.outbound_txs.list_attempts(
            [
                t.id
                for i in created
                for t in unit.outbound_txs.list_by_intents([i.id], OutboundTxKind.FILL)
            ]
        )
    blocks = len({deposit.incoming.block_height for deposit in deposits})
    nonces = sorted({attempt.signed.nonce for attempt in attempts})
    whole = len(nonces) == AT_ONCE and all(b == a + 1 for a, b in pairwise(nonces))
    used = int(arbitrum.rpc("eth_getTransactionCount", RELAYER, "latest"), 16) - first
    good = whole and used == AT_ONCE
    figure = f"{seconds:.1f} s ({blocks} block, {used} nonces, {'no gap' if good else 'GAPS'})"
    return [(f"{AT_ONCE} deposits in one block, all filled", figure, "no nonce gap", good)]


def _watching(ground: Ground) -> list[Row]:
    """Requests and calls per block while many intents wait for deposits."""
    for n in range(PENDING):
        ground.world.pay(f"pending {n}")
    time.sleep(20)
    front, anvil = ground.fronts[BASE], ground.anvils[BASE]
    front.requests, began = 0, anvil.height
    front.methods.clear()
    while anvil.height < began + WATCHED_BLOCKS:
        time.sleep(0.1)
    blocks = anvil.height - began
    requests, calls = front.requests / blocks, sum(front.methods.values()) / blocks
    what = f"RPC requests a block with {PENDING} pending intents watched"
    detail = f"{requests:.1f} ({calls:.1f} methods in them)"
    return [(what, detail, f"<= {GOAL_CALLS}", requests <= GOAL_CALLS)]
