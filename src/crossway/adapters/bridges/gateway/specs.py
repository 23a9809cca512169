"""The transfers that we have Gateway make: between which accounts, and by which salt."""

from crossway.adapters.bridges.gateway.burn_intents import TransferSpec, account_word
from crossway.adapters.bridges.gateway.gateway_end import GatewayEnd
from crossway.adapters.chains.addresses import keccak256
from crossway.domain.inventory_transfer import InventoryTransfer


def spec_between(source: GatewayEnd, target: GatewayEnd, units: int, salt: bytes) -> TransferSpec:
    """What is burnt of the depositor's deposits on one chain, and minted to our relayer on another.
    Nobody but the relayer mints it, also where an answer of Circle's is lost on its way to us."""
    return TransferSpec(
        source_domain=source.domain,
        destination_domain=target.domain,
        source_contract=account_word(source.wallet),
        destination_contract=account_word(target.minter),
        source_token=account_word(source.usdc),
        destination_token=account_word(target.usdc),
        source_depositor=account_word(source.depositor),
        destination_recipient=account_word(target.relayer),
        source_signer=account_word(source.relayer),
        destination_caller=account_word(target.relayer),
        value=units,
        salt=salt,
    )


def salt_of(transfer: InventoryTransfer) -> bytes:
    """The salt of an attempt, which follows from the transfer: its time of creation tells apart the
    transfers of two databases with the same relayer, whose numbers are the same."""
    created = transfer.created_at.timestamp()
    facts = (transfer.intent_id, transfer.kind, transfer.id, f"{created:.6f}", transfer.attempt)
    return keccak256(f"Crossway inventory transfer {facts}".encode())
