"""Simulated chains that write calls as EVM chains with our contracts do."""

from collections.abc import Collection
from dataclasses import replace

from crossway.adapters.chains.evm.calldata import encode_call
from crossway.adapters.chains.evm.contracts import default_deployment
from crossway.adapters.chains.evm.public_calls import public_call
from crossway.adapters.chains.intent_hash import hash_terms
from crossway.adapters.chains.simulated.chain import SimulatedChain
from crossway.domain.outbound_call import OutboundCall
from crossway.ports.chain_calls import PublicCall
from crossway.ports.services import Services
from tests.harness import CATALOGUE, Harness


class ContractChain(SimulatedChain):
    """Its payments have other hashes and addresses than on a chain with contracts, which are
    computed where a call is asked for."""

    def public_call(self, call: OutboundCall) -> PublicCall | None:
        assert call.terms is not None
        at = default_deployment()
        hashes = hash_terms(CATALOGUE, call.terms, call.bridger, call.coordinator)
        address = at.deposit_address(hashes.intent_hash)
        own = replace(
            call,
            intent_hash="0x" + hashes.intent_hash.hex(),
            outputs=tuple(replace(output, source=address) for output in call.outputs),
        )
        return public_call(encode_call(CATALOGUE, at, own))


def with_contracts(world: Harness, chains: Collection[str]) -> Services:
    """The services of a world, as if these chains had contracts and were live."""
    own = {chain: ContractChain(world.network, chain) for chain in chains}
    return replace(world.services, chains={**world.services.chains, **own}, environment="live")
