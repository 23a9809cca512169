"""Reads that are trusted only where as many nodes agree as the profile's quorum requires."""

from collections.abc import Callable, Collection, Mapping, Sequence

from crossway.adapters.chains.rpc.pool import RpcPool, RpcSession
from crossway.domain.deposits import IncomingTransfer
from crossway.domain.errors import Unreachable
from crossway.ports.chain import TxStatus, TxUnknown


def tx_statuses(
    pool: RpcPool,
    tx_ids: Collection[str],
    read: Callable[[RpcSession, list[str]], Mapping[str, TxStatus]],
) -> Mapping[str, TxStatus]:
    """The status of each transaction; `TxUnknown` where nodes disagree."""
    ids = list(tx_ids)
    first, *others = pool.quorum(lambda session: read(session, ids))
    return {
        tx_id: first[tx_id] if all(o[tx_id] == first[tx_id] for o in others) else TxUnknown()
        for tx_id in ids
    }


def executed_markers(
    pool: RpcPool, markers: Collection[str], read: Callable[[RpcSession, list[str]], set[str]]
) -> set[str]:
    """The markers that contracts have executed. Raises `Unreachable` where nodes disagree."""
    ordered = sorted(markers)
    if not ordered:
        return set()
    first, *others = pool.quorum(lambda session: read(session, ordered))
    if any(other != first for other in others):
        raise Unreachable("the nodes disagree on what was executed")
    return first


def verify_inclusion(
    pool: RpcPool,
    incoming: Sequence[IncomingTransfer],
    read: Callable[[RpcSession], Sequence[bool]],
) -> Sequence[bool]:
    """Whether each transfer is in its block, according to every node of the quorum."""
    if not incoming:
        return []
    return [all(answers) for answers in zip(*pool.quorum(read), strict=True)]


def group_markers(
    contracts: Mapping[str, str], markers: Sequence[str], batch_size: int
) -> list[tuple[str, list[str]]]:
    """Contract and markers of each query. `contracts` maps a marker's prefix ("start", "fill",
    "settle") to the contract that records it; a query has at most `batch_size` markers."""
    groups: list[tuple[str, list[str]]] = []
    for prefix, contract in contracts.items():
        matching = [marker for marker in markers if marker.startswith(prefix + ":")]
        for start in range(0, len(matching), batch_size):
            groups.append((contract, matching[start : start + batch_size]))
    return groups
