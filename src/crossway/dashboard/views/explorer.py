"""Transactions and addresses of the simulated chains on screen."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from crossway.dashboard.views.cells import Badge, Cell, Column, Detail, Row
from crossway.dashboard.views.formatting import (
    address_cell,
    format_amount,
    time_cell,
    token_amount_cell,
    tx_cell,
)
from crossway.dashboard.views.links import rebalancing_href
from crossway.dashboard.views.simulator import build_holding_rows
from crossway.domain.catalogue import Catalogue, Chain
from crossway.domain.clients import Principal
from crossway.domain.errors import NotFound
from crossway.ports.services import Services
from crossway.ports.simulated_transactions import SimulatedTransaction, TxPlace, TxSender
from crossway.usecases.simulator import explorer as cases

TRANSFER_COLUMNS: Final = (Column("From"), Column("To"), Column("Amount", "right"))
INCOMING_COLUMNS: Final = (
    Column("Transaction"),
    Column("From"),
    Column("Amount", "right"),
    Column("Block", "right"),
    Column("Time", "right"),
)
_OWN_ACCOUNTS: Final = ("relayer", "bridger", "treasury", "coordinator")
REBALANCING_COLUMNS: Final = (Column("Rebalancing transfer"),)
SUCCESS: Final = Badge("Success", "green", "check_circle")
REVERTED: Final = Badge("Reverted", "red", "error", "It is in a block and had no effect")
WAITING: Final = Badge("Waiting for a block", "blue", "hourglass_top")
DROPPED: Final = Badge("Dropped", "orange", "delete", "The nodes forgot it; it is in no block")
_SENDERS: Final[Mapping[TxSender, str]] = MappingProxyType(
    {
        TxSender.OPERATOR: "Crossway",
        TxSender.OUTSIDER: "A third party, with the operator's nonce",
        TxSender.PAYER: "The simulator, as a payer",
        TxSender.STRANGER: "The simulator, as anybody",
        TxSender.SIMULATOR: "The simulator, which set balances",
    }
)


def load_transaction(
    services: Services, caller: Principal, chain_id: str, tx_hash: str
) -> SimulatedTransaction:
    """The transaction that a link names. Raises `NotFound`."""
    if not chain_id:
        raise NotFound("No transaction in the link")
    return cases.get_transaction(services, caller, chain_id, tx_hash)


def load_address(
    services: Services, caller: Principal, chain_id: str, address: str
) -> cases.SimulatedAddress:
    """The address that a link names. Raises `NotFound`."""
    if not chain_id:
        raise NotFound("No address in the link")
    return cases.get_address(services, caller, chain_id, address)


def status_badge(tx: SimulatedTransaction) -> Badge:
    """Whether a transaction succeeded, reverted, waits or was dropped."""
    if tx.place is TxPlace.INCLUDED:
        return REVERTED if tx.reason else SUCCESS
    return WAITING if tx.place is TxPlace.WAITING else DROPPED


def build_details(catalogue: Catalogue, tx: SimulatedTransaction) -> tuple[Detail, ...]:
    """Everything the chain has of a transaction except its token transfers."""
    chain = catalogue.chains[tx.chain]
    details = [
        Detail("Chain", Cell(chain.name)),
        Detail(
            "Transaction",
            Cell(tx.tx_hash, copy=tx.tx_hash, value_name="transaction", mono=True),
        ),
    ]
    if tx.reason:
        details.append(Detail("Reverted because", Cell(tx.reason, tone="bad")))
    if tx.height is not None:
        details += [
            Detail("Block", Cell(f"{tx.height:,}", hint=tx.block_hash)),
            Detail("Time", time_cell(tx.at, "exact")),
            Detail("Confirmations", Cell(_confirmations(chain, tx))),
        ]
    details.append(Detail("Sent by", Cell(_SENDERS[tx.sender])))
    if tx.account:
        details += [
            Detail("Account", address_cell(chain, tx.account)),
            Detail("Nonce", Cell("–" if tx.nonce is None else f"{tx.nonce:,}")),
        ]
    if tx.fee_units is not None:
        fee = format_amount(tx.fee_units, chain.native_decimals, chain.native_symbol)
        details.append(Detail("Fee", Cell(fee)))
    return tuple(details)


def _confirmations(chain: Chain, tx: SimulatedTransaction) -> str:
    final = "final" if tx.is_final else f"final at {chain.confirmations.finalized:,} or more"
    return f"{tx.confirmations:,}, {final}"


def build_transfer_rows(catalogue: Catalogue, tx: SimulatedTransaction) -> tuple[Row, ...]:
    """Rows of the tokens that a transaction moved."""
    chain = catalogue.chains[tx.chain]
    return tuple(
        Row(
            str(number),
            (
                address_cell(chain, one.source) if one.source else Cell("minted"),
                address_cell(chain, one.to) if one.to else Cell("burned"),
                token_amount_cell(catalogue, tx.chain, one.token, one.amount),
            ),
        )
        for number, one in enumerate(tx.transfers)
    )


def build_rebalancing_rows(services: Services, caller: Principal, tx_hash: str) -> tuple[Row, ...]:
    """Rows of the rebalancing transfers to which a transaction belongs."""
    return tuple(
        Row(str(number), (Cell(f"Rebalancing #{number}"),), href=rebalancing_href(number))
        for number in cases.list_rebalancing_of(services, caller, tx_hash)
    )


def build_address_details(services: Services, found: cases.SimulatedAddress) -> tuple[Detail, ...]:
    """The chain and the address, and which of Crossway's accounts it is."""
    accounts = services.chains[found.chain.id].accounts
    names = [name for name in _OWN_ACCOUNTS if getattr(accounts, name) == found.address]
    own = (Detail("Account", Cell(f"Crossway's {' and '.join(names)}")),) if names else ()
    return (
        Detail("Chain", Cell(found.chain.name)),
        Detail(
            "Address",
            Cell(found.address, copy=found.address, value_name="address", mono=True),
        ),
        *own,
    )


def build_balance_rows(services: Services, found: cases.SimulatedAddress) -> tuple[Row, ...]:
    """Rows of what an address holds on its chain."""
    return build_holding_rows(services, found.balances)


def build_incoming_rows(catalogue: Catalogue, found: cases.SimulatedAddress) -> tuple[Row, ...]:
    """Rows of the newest transfers to an address."""
    return tuple(
        Row(
            f"{one.tx_hash}-{one.index}",
            (
                tx_cell(found.chain, one.tx_hash),
                address_cell(found.chain, one.sender or ""),
                token_amount_cell(catalogue, one.chain, one.token, one.amount),
                Cell(f"{one.block_height:,}"),
                time_cell(one.at),
            ),
        )
        for one in found.transfers
    )
