"""Limits and fee parameters of Tron and its usual nodes, from chain_params.toml."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from crossway.adapters.chains.evm.chain_context import ChainParams
from crossway.adapters.chains.rpc.chain_context import read_params


@dataclass(frozen=True, slots=True)
class TronParams:
    """The parameters of the chain; chain_params.toml explains each."""

    log_blocks: int
    log_recipients: int
    batch_size: int
    max_scan_blocks: int
    blocks_per_request: int
    energy_limit: int
    tx_bytes: int
    max_energy_sun: int
    tx_lifetime_seconds: int
    call_energy: Mapping[str, int]

    @property
    def evm_params(self) -> ChainParams:
        """The parameters for the parts that Tron shares with EVM chains. Nodes know the block
        `finalized`, but keep no old state; there is no gas price and no BalanceLens."""
        return ChainParams(
            log_blocks=self.log_blocks,
            log_recipients=self.log_recipients,
            batch_size=self.batch_size,
            finalized_tag=True,
            fees="legacy",
            min_tip_gwei=0,
            max_gwei=0,
            gas_limit=self.energy_limit,
            max_tx_gas=self.energy_limit,
            lens_size=0,
            archive=False,
            # Older nodes count the log indexes of a receipt from 0.
            receipt_log_index=False,
        )


@cache
def load_chain_params() -> TronParams:
    """The parameters of the chain."""
    return TronParams(**read_params(__package__))
