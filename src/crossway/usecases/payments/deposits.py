"""Record transfers to deposit addresses, and credit them once confirmed."""

from collections.abc import Sequence

from crossway.domain.deposits import IncomingTransfer
from crossway.domain.intent import Intent
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.crediting import credit_deposits
from crossway.usecases.payments.standing_recording import find_forwarding, record_standing_deposits

# The engine credits the others.
MAX_CREDITED = 200


def check_deposits(services: Services, intent: Intent) -> Intent:
    """Record transfers to the deposit address on the source chain and credit the confirmed ones."""
    chain = services.chains[intent.terms.source_chain]
    transfers, head = chain.transfers_to([intent.address], intent.created_at), chain.heads()
    included = [
        i
        for i, is_included in zip(transfers, chain.verify_inclusion(transfers), strict=True)
        if is_included
    ]

    def work(unit: UnitOfWork) -> Intent:
        record_deposits(unit, services, included)
        now = services.clock.now()
        ready = unit.deposits.list_ready_for_intent(intent.id, head.height, MAX_CREDITED)
        included_ids = {(i.tx_hash, i.index) for i in included}
        verified = [d for d in ready if (d.incoming.tx_hash, d.incoming.index) in included_ids]
        credit_deposits(unit, services, verified, now)
        return unit.intents.get_many([intent.id])[intent.id]

    return services.store.write(work)


def record_deposits(
    unit: UnitOfWork, services: Services, incoming: Sequence[IncomingTransfer]
) -> None:
    """Store transfers to deposit addresses with the confirmations that the intent's value needs.
    Archived payments that money arrives for come back."""
    addresses = {transfer.to for transfer in incoming}
    if addresses:
        unit.payment_archive.pause()
        unit.payment_archive.restore(addresses)
    intent_ids = unit.intents.find_ids_by_address(addresses)
    usd_values = unit.intents.get_usd_values(set(intent_ids.values()))
    over_bridges = unit.intents.find_over_bridges(set(intent_ids.values()))
    forwarding = find_forwarding(unit, intent_ids)
    deposits = []
    for transfer in incoming:
        intent_id = intent_ids.get(transfer.to)
        if intent_id is not None:
            chain = services.catalogue.chains[transfer.chain]
            # Testnet funds have no value, and what a bridge sends on goes away together with the
            # deposit: inclusion in a block is enough. What is forwarded was confirmed before.
            standing = forwarding.get(intent_id)
            is_forwarded = standing is not None and transfer.sender == standing.address
            confirmations = (
                0
                if chain.testnet or is_forwarded or intent_id in over_bridges
                else chain.confirmations.depth_for_value(usd_values[intent_id])
            )
            deposits.append((intent_id, transfer, confirmations))
    unit.deposits.add(deposits)
    record_standing_deposits(unit, services, incoming)
