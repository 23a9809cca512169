"""Standing addresses of simulated chains of the EVM family."""

from hashlib import sha256

from crossway.adapters.chains.simulated.blocks.derivation import derive_address
from crossway.domain.standing import StandingTerms, committed_values


class SimulatedStanding:
    """`ports.standing_contracts.StandingContracts`: the address follows from the terms."""

    def is_deployed(self) -> bool:
        return True

    def standing_hash(self, terms: StandingTerms) -> str:
        places = (terms.source_chain, terms.destination_chain, terms.token_out)
        people = (terms.recipient, terms.recovery)
        text = "\n".join((*places, *people, repr(committed_values(terms))))
        return "0x" + sha256(text.encode()).hexdigest()

    def standing_address(self, standing_hash: str) -> str:
        return derive_address("evm", f"standing {standing_hash}")

    def marker(self, standing_hash: str, deposit_id: bytes) -> str:
        return f"standing:{standing_hash}:{deposit_id.hex()}"
