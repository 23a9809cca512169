"""Limits and fee parameters of a Starknet chain and its usual nodes, from chain_params.toml."""

from dataclasses import dataclass

from crossway.adapters.chains.rpc.chain_params import chain_section


@dataclass(frozen=True, slots=True)
class ChainParams:
    """The parameters of one chain; chain_params.toml explains each."""

    event_blocks: int
    recipients: int
    page_size: int
    batch_size: int
    l2_gas: int
    data_gas: int
    data_percent: int
    tip_percent: int
    max_strk: int
    l1_finality: bool


def load_chain_params(chain: str) -> ChainParams:
    """The parameters of a chain."""
    return ChainParams(**chain_section(__package__, chain))
