"""Findings of `crossway doctor` about inventory that Across moves in a live environment."""

from collections.abc import Mapping
from typing import Final

from crossway.adapters.bridges.across.networks import inventory_terms, moved_symbols
from crossway.adapters.bridges.across.pool_end import PoolEnd
from crossway.adapters.chains.rpc.diagnostics import Finding
from crossway.adapters.live_bridges import across_ends
from crossway.adapters.live_environment import LiveEnvironment
from crossway.domain.errors import Unreachable
from crossway.domain.quotes import BridgeName

_WAIT: Final = "Wait: inventory is moved from there when it goes on."
_TRY: Final = "Make sure that its nodes answer, and try again."


def diagnose_across_inventory(live: LiveEnvironment) -> list[Finding]:
    """The findings, one for each chain that Across reaches; none where the profile does not name
    the bridge, or it reaches fewer than two chains."""
    ends = across_ends(live)
    if BridgeName.ACROSS not in live.profile.bridges or len(ends) < 2:
        return []
    symbols = moved_symbols(live.catalogue)
    return [_chain_finding(live, end, symbols) for _, end in sorted(ends.items())]


def _chain_finding(
    live: LiveEnvironment, end: PoolEnd, symbols: Mapping[str, frozenset[str]]
) -> Finding:
    chain = end.facts.id
    subject, carried = f"inventory on {chain}", set(symbols.get(chain, ()))
    try:
        rules = end.read_rules()
        if rules.paused:
            return Finding(subject, "the pool of Across takes no deposits", _WAIT)
        wrapped = next(
            (
                symbol
                for symbol in carried
                if live.catalogue.tokens[chain, symbol].address.lower() == rules.wrapped_native
            ),
            "",
        )
        handler = inventory_terms().handlers.get(chain, "")
        if wrapped and not (handler and end.has_code(handler)):
            message = f"Across' handler is not there, without which {wrapped} cannot arrive"
            remedy = f"Move {wrapped} to other chains, or compare `across.toml` with Across' list."
            return Finding(subject, message, remedy)
    except Unreachable as error:
        return Finding(subject, str(error), _TRY)
    return Finding(subject, f"can be moved: {', '.join(sorted(carried))}")
