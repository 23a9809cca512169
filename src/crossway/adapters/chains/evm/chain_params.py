"""Limits and fee parameters of an EVM chain and its usual nodes, from chain_params.toml."""

from dataclasses import dataclass

from crossway.adapters.chains.rpc.chain_params import chain_section


@dataclass(frozen=True, slots=True)
class ChainParams:
    """The parameters of one chain; chain_params.toml explains each."""

    log_blocks: int
    log_recipients: int
    batch_size: int
    finalized_tag: bool
    fees: str
    tip_percent: int
    max_gwei: int
    gas_limit: int
    lens_size: int
    archive: bool
    receipt_log_index: bool

    def __post_init__(self) -> None:
        if self.fees not in ("eip1559", "legacy"):
            raise ValueError(f"fees must be eip1559 or legacy, not {self.fees!r}")


def load_chain_params(chain: str) -> ChainParams:
    """The parameters of a chain."""
    return ChainParams(**chain_section(__package__, chain))
