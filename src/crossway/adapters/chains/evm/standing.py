"""Standing addresses of EVM chains."""

from contextlib import suppress

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.evm.balances import code_request
from crossway.adapters.chains.evm.chain_context import ChainContext
from crossway.adapters.chains.evm.contracts import load_artifact
from crossway.adapters.chains.evm.rpc_schemas import parse_data
from crossway.adapters.chains.evm.standing_calls import hash_standing
from crossway.domain.errors import Unreachable
from crossway.domain.standing import StandingTerms


class EvmStanding:
    """`ports.standing_contracts.StandingContracts` of one chain."""

    def __init__(self, context: ChainContext) -> None:
        self._context = context
        self._is_deployed = False

    def standing_hash(self, terms: StandingTerms) -> str:
        return "0x" + hash_standing(self._context.catalogue, terms).hex()

    def standing_address(self, standing_hash: str) -> str:
        return self._context.deployment.standing_address(bytes.fromhex(standing_hash[2:]))

    def marker(self, standing_hash: str, deposit_id: bytes) -> str:
        key = keccak256(bytes.fromhex(standing_hash[2:]) + deposit_id)
        return f"standing:0x{key.hex()}"

    def is_deployed(self) -> bool:
        if not self._is_deployed:
            with suppress(Unreachable):
                at = code_request(self._context.deployment.standing)
                code = self._context.pool.first(lambda session: session.call(at)[0])
                right = load_artifact("StandingFactory").matches_code(parse_data(code, "code"))
                self._is_deployed = right
        return self._is_deployed
