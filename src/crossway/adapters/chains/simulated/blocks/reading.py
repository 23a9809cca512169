"""Reading a simulated chain: with its due blocks made, and with its faults."""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256

from crossway.adapters.chains.simulated.blocks import mining
from crossway.adapters.chains.simulated.blocks.network import ChainSession, SimulatedNetwork
from crossway.domain.errors import Unreachable, WrongChain


@contextmanager
def open_reading(network: SimulatedNetwork, chain: str) -> Iterator[tuple[ChainSession, int]]:
    """The chain for reading, with every due block made, and the height to report. Raises
    `Unreachable`."""
    with network.reading(chain) as session:
        raise_if_faulty(session)
        due = session.state.tip_at(session.now) > session.state.height
        if not (due and (session.state.mempool_size or session.state.dropped_count)):
            yield session, reported_height(session)
            return
    with network.locked(chain) as session:
        mining.catch_up(session)
    with network.reading(chain) as session:
        yield session, reported_height(session)


def raise_if_faulty(session: ChainSession) -> None:
    """Raise `Unreachable` where the chain's nodes do not answer, `WrongChain` where they answer for
    another chain."""
    facts = session.facts
    if session.now < session.state.outage_until:
        raise Unreachable(f"{facts.id} does not answer")
    if session.state.node_fault == "chain_id":
        wrong = int(sha256(facts.id.encode()).hexdigest()[:6], 16)
        raise WrongChain(f"{facts.id} answers with chain id {wrong} instead of {facts.chain_id}")


def reported_height(session: ChainSession) -> int:
    """The newest height that its nodes report."""
    tip = session.state.tip_at(session.now)
    return min(tip, session.state.stale_height) if session.state.node_fault == "stale" else tip
