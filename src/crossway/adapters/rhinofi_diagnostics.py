"""Findings of `crossway doctor` about rhino.fi in a live environment."""

from collections.abc import Iterator
from contextlib import closing
from typing import Final

from crossway.adapters.bridges.rhinofi.api import Refused, RhinofiApi
from crossway.adapters.bridges.rhinofi.networks import bridge_contracts, carried_symbols
from crossway.adapters.bridges.rhinofi.transfer_quotes import TransferQuotes
from crossway.adapters.chains.rpc.diagnostics import Finding
from crossway.adapters.chains.rpc.protocols import HasBridgeEnd
from crossway.adapters.live_bridges import open_rhinofi_api
from crossway.adapters.live_environment import LiveEnvironment
from crossway.domain.errors import Unreachable
from crossway.domain.quotes import BridgeName

_LEAVE_OUT: Final = "or leave RHINOFI out of the profile's bridges."


def diagnose_rhinofi(live: LiveEnvironment) -> dict[str, list[Finding]]:
    """The findings, under the bridge's name; none where the profile does not name it."""
    if BridgeName.RHINOFI not in live.profile.bridges:
        return {}
    try:
        api = open_rhinofi_api(live.profile)
    except ValueError as error:
        return {BridgeName.RHINOFI: [Finding("key", str(error), f"Set it, {_LEAVE_OUT}")]}
    assert api is not None, "its key is needed where it is named"
    with closing(api):
        return {BridgeName.RHINOFI: list(_findings(live, api))}


def _findings(live: LiveEnvironment, api: RhinofiApi) -> Iterator[Finding]:
    reached = sorted(live.chains.keys() & bridge_contracts().keys())
    if len(reached) < 2:
        message = f"rhino.fi reaches {', '.join(reached) or 'none'} of the profile's chains"
        yield Finding("reach", message, f"Add chains that it reaches, {_LEAVE_OUT}")
        return
    yield Finding("reach", f"between {', '.join(reached)}")
    try:
        api.check_key()
        api.get_configs()
    except Unreachable as error:
        remedy = "Open the way to it, and look at its key: without it, nothing is quoted or moved."
        yield Finding("service", str(error), remedy)
        return
    yield Finding("service", "answers, and accepts the key")
    transfer_quotes = TransferQuotes(api, {})
    for name in reached:
        yield _chain_finding(live, transfer_quotes, name)


def _chain_finding(live: LiveEnvironment, transfer_quotes: TransferQuotes, name: str) -> Finding:
    """Whether the service and our nodes have the contract that we know, and which tokens."""
    chain, contract = live.chains[name], bridge_contracts()[name]
    carried = []
    try:
        if isinstance(chain, HasBridgeEnd) and chain.bridge_end.find_missing([contract]):
            raise Unreachable(f"our nodes have no contract at {contract}")
        for symbol in sorted(carried_symbols(live.catalogue, [name]).get(name, ())):
            try:
                transfer_quotes.find_chain(
                    live.catalogue.chains[name], live.catalogue.tokens[name, symbol], ""
                )
            except Refused:
                continue
            carried.append(symbol)
    except Unreachable as error:
        return Finding(name, str(error), "Nothing is sent there until that is as we know it.")
    if not carried:
        return Finding(name, "carries no token now", f"Wait, {_LEAVE_OUT}")
    return Finding(name, f"the contract is the known one; carries {', '.join(carried)}")
