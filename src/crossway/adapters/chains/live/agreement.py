"""What is believed of a chain of any family only where as many nodes say it as must agree."""

from collections.abc import Callable, Collection, Mapping, Sequence

from crossway.adapters.chains.live.nodes import Line, Nodes
from crossway.domain.deposits import Incoming
from crossway.domain.errors import Unreachable
from crossway.ports.chain import Status, Unsure


def statuses(
    nodes: Nodes,
    tx_ids: Collection[str],
    look: Callable[[Line, list[str]], Mapping[str, Status]],
) -> Mapping[str, Status]:
    """What is known of each transaction; where nodes do not agree, nothing is certain."""
    wanted = list(tx_ids)
    first, *others = nodes.many(lambda line: look(line, wanted))
    return {
        one: first[one] if all(other[one] == first[one] for other in others) else Unsure()
        for one in wanted
    }


def used(
    nodes: Nodes, markers: Collection[str], look: Callable[[Line, list[str]], set[str]]
) -> set[str]:
    """Those of the markers that contracts have used. Raises `Unreachable` where nodes do not
    agree."""
    wanted = sorted(markers)
    if not wanted:
        return set()
    first, *others = nodes.many(lambda line: look(line, wanted))
    if any(other != first for other in others):
        raise Unreachable("the nodes do not agree on what was done")
    return first


def still_there(
    nodes: Nodes, incoming: Sequence[Incoming], look: Callable[[Line], Sequence[bool]]
) -> Sequence[bool]:
    """Whether each transfer stands in its block: only where each node says so."""
    if not incoming:
        return []
    return [all(one) for one in zip(*nodes.many(look), strict=True)]
