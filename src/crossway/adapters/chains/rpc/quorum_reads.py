"""Reads that are trusted only where as many nodes agree as the profile's quorum requires."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar

from crossway.adapters.chains.rpc.pool import RpcPool, RpcSession
from crossway.domain.deposits import IncomingTransfer
from crossway.domain.errors import Unreachable
from crossway.ports.chain import TxStatus, TxUnknown

T = TypeVar("T")


def agreed(pool: RpcPool, read: Callable[[RpcSession], T], what: str) -> T:
    """What as many nodes as must agree say alike. Raises `Unreachable` where they do not, in words
    such as "the nodes disagree on what was sent"."""
    first, *others = pool.quorum(read)
    if any(other != first for other in others):
        raise Unreachable(f"the nodes disagree {what}")
    return first


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
    return agreed(pool, lambda session: read(session, ordered), "on what was executed")


def verify_inclusion(
    pool: RpcPool,
    incoming: Sequence[IncomingTransfer],
    read: Callable[[RpcSession], Sequence[bool]],
) -> Sequence[bool]:
    """Whether each transfer is in its block, according to as many nodes as must agree. Where some
    deny it, all are asked. Raises `Unreachable` where too few answer."""
    if not incoming:
        return []
    quorum = pool.quorum_size

    def suffices(answers: Sequence[Sequence[bool]]) -> bool:
        return len(answers) >= quorum and all(
            not any(of_one) or sum(of_one) >= quorum for of_one in zip(*answers, strict=True)
        )

    answers, errors = pool.gather(read, suffices)
    if len(answers) < quorum:
        raise Unreachable(
            f"{len(answers)} of the {quorum} nodes that must agree responded: {'; '.join(errors)}"
        )
    return [sum(of_one) >= quorum for of_one in zip(*answers, strict=True)]


def agreed_refusals(pool: RpcPool, read: Callable[[RpcSession], Sequence[str]]) -> Sequence[str]:
    """The reason of each refusal that all of the nodes report that must agree; empty where one
    reports none. They are asked only where the first reports one."""
    first = pool.first(read)
    if not any(first):
        return first
    answers = pool.quorum(read)
    return [of_nodes[0] if all(of_nodes) else "" for of_nodes in zip(*answers, strict=True)]


def agreed_balances(
    pool: RpcPool, read: Callable[[RpcSession], Mapping[str, int]]
) -> Mapping[str, int]:
    """The balance of each address that as many nodes report as must agree; all are asked where
    some differ. Raises `Unreachable` where too few answer."""
    quorum = pool.quorum_size

    def agreed(answers: Sequence[Mapping[str, int]]) -> dict[str, int]:
        reports = [(a, Counter(answer[a] for answer in answers)) for a in answers[0]]
        return {
            address: amount
            for address, counts in reports
            for amount, count in counts.most_common(1)
            if count >= quorum
        }

    answers, errors = pool.gather(
        read, lambda found: len(found) >= quorum and len(agreed(found)) == len(found[0])
    )
    if len(answers) < quorum:
        raise Unreachable(
            f"{len(answers)} of the {quorum} nodes that must agree responded: {'; '.join(errors)}"
        )
    return agreed(answers)


def group_markers(
    contract_of: Callable[[str], str], markers: Sequence[str], batch_size: int
) -> list[tuple[str, list[str]]]:
    """Contract and markers of each query; a query has at most `batch_size` markers."""
    of_contract: dict[str, list[str]] = {}
    for marker in markers:
        of_contract.setdefault(contract_of(marker), []).append(marker)
    return [
        (contract, matching[start : start + batch_size])
        for contract, matching in of_contract.items()
        for start in range(0, len(matching), batch_size)
    ]
