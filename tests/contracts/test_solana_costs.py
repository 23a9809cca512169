"""What calls of Solana's program cost is what its description says."""

import re
from collections.abc import Callable
from itertools import count

from solders.instruction import Instruction

from tests.chains.solana.node import NATIVE, RELAYER, TREASURY, Node, dollars, running
from tests.chains.solana.program import DAY, EMPTY, Deal, deal, said
from tests.processes import ROOT

TREASURER = str(TREASURY.pubkey())
# Looking for an address costs 1,500 units a try, and how many it takes is chance: of so many
# payments the middle one is told.
SAMPLES = 9
Call = Callable[[Deal], Instruction]


def measured(node: Node, mint: str) -> dict[str, tuple[int, int]]:
    """Compute units and bytes of each call's transaction."""
    name = " of SOL" if mint == NATIVE else ""
    relayer, number = str(RELAYER.pubkey()), count()
    deals = [deal(node, f"{mint[:5]} {next(number)}", mint=mint) for _ in range(2 * SAMPLES)]
    exact, over = deals[:SAMPLES], deals[SAMPLES:]
    for one in deals:
        node.send(one.owner, one.total + (EMPTY if one in over else 0), mint)
    node.mine()
    found = {
        f"start{name}, exact": [cost(one, Deal.start) for one in exact],
        f"start{name}, with excess": [cost(one, Deal.start) for one in over],
    }
    for one in exact:
        node.send(one.owner, EMPTY, mint)
    node.mine()
    found[f"refund{name}, late deposit"] = [cost(one, lambda d: d.refund()) for one in exact]
    found[f"fill{name}"] = [cost(one, Deal.fill) for one in exact]
    deals[-1].do(deals[-1].settle((relayer, deals[-1].total - 1)))
    pays: Call = lambda d: d.settle((relayer, d.total - 30), (TREASURER, 20))  # noqa: E731
    found[f"settle{name}: relayer and treasury, rest retained"] = [cost(one, pays) for one in exact]
    node.cluster.later(61 * DAY)
    found[f"close{name}"] = [cost(one, lambda d: d.close(d.marker)) for one in exact]
    return {what: sorted(costs)[SAMPLES // 2] for what, costs in found.items()}


def cost(one: Deal, call: Call) -> tuple[int, int]:
    landed = one.node.do([call(one)], RELAYER)
    assert said(landed) == "", landed.meta.logs()
    # Without the 150 that asking for a budget costs.
    return landed.meta.compute_units_consumed() - 150, len(bytes(landed.signed))


def test_the_table_of_costs_has_the_measured_values() -> None:
    with running() as node:
        node.give(TREASURER, 0)
        node.give(TREASURER, EMPTY, NATIVE)
        found = {**measured(node, dollars(node.chain)), **measured(node, NATIVE)}
    lines = [f"| {what} | {units:,} | {size:,} |" for what, (units, size) in found.items()]
    text = (ROOT / "contracts" / "solana" / "README.md").read_text()
    told = re.search(r"\| call \| compute units \| bytes \|\n\|.*?\n((?:\|.*\n)+)", text)
    assert told is not None
    assert told.group(1).splitlines() == lines
