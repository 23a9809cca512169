"""Follows deposits at standing addresses: confirmed ones get their payments or go back."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from crossway.domain.errors import Unreachable
from crossway.domain.standing import StandingDeposit, StandingState
from crossway.engine.bisect_batch import bisect_batch
from crossway.engine.pass_writes import PassWrite, PassWrites
from crossway.ports.chain import Chain, ChainHead
from crossway.ports.services import Services
from crossway.ports.shards import Shards
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.standing_crediting import (
    Credit,
    credit_standing_deposits,
    why_returned,
)
from crossway.usecases.payments.standing_lapses import return_lapsed
from crossway.usecases.payments.standing_payouts import Payable, prepare_payments
from crossway.usecases.payments.standing_recording import (
    record_standing_deposits,
    reverse_standing_deposits,
)

BATCH: Final = 500
_REORG_MARGIN: Final = timedelta(minutes=10)
_NOT_FOUND: Final = "No block has it any more."


def follow_standing(
    services: Services, heads: Mapping[str, ChainHead], writes: PassWrites, shards: Shards
) -> None:
    """Decide on deposits at standing addresses of these chains that are confirmed, that wait for a
    payment to be possible, or that may have become too late to forward."""
    heights = {chain: head.height for chain, head in heads.items()}
    with services.store.read() as unit:
        found = unit.standing.list_ready(heights, services.clock.now(), BATCH, shards)
    by_chain: dict[str, list[StandingDeposit]] = defaultdict(list)
    for deposit in found:
        by_chain[deposit.incoming.chain].append(deposit)
    for chain_id, deposits in by_chain.items():
        under_way = [d for d in deposits if d.state is StandingState.FORWARDING]
        if under_way:
            times = {chain_id: heads[chain_id].time}
            lapse = partial(_return_lapsed, services, under_way, times)
            writes.add(PassWrite(lapse, partial(services.store.write, lapse), _count))
        try:
            _credit_chain(
                services,
                services.chains[chain_id],
                [d for d in deposits if d.state is not StandingState.FORWARDING],
                writes,
            )
        except Unreachable:
            continue


def _return_lapsed(
    services: Services,
    deposits: Sequence[StandingDeposit],
    times: Mapping[str, datetime],
    unit: UnitOfWork,
) -> int:
    return return_lapsed(unit, services, deposits, times)


def _credit_chain(
    services: Services, chain: Chain, deposits: Sequence[StandingDeposit], writes: PassWrites
) -> None:
    if not deposits:
        return
    included = chain.verify_inclusion([deposit.incoming for deposit in deposits])
    pairs = list(zip(deposits, included, strict=True))
    if missing := [deposit for deposit, is_included in pairs if not is_included]:
        _relocate(services, chain, missing)
    credits = _prepare(services, [deposit for deposit, is_included in pairs if is_included])
    if credits:
        services.process.failpoint("before-standing-credit")
        credit = partial(_credit, services, credits)
        writes.add(
            PassWrite(credit, partial(_credit_alone, services, credits), partial(_done, services))
        )


def _prepare(services: Services, deposits: Sequence[StandingDeposit]) -> list[Credit]:
    """What is decided on each deposit; quotes are asked for all at once."""
    with services.store.read() as unit:
        addresses = unit.standing.get_many({deposit.number for deposit in deposits})
        clients = {
            client_id: unit.api_keys.get_client(client_id)
            for client_id in {address.client_id for address in addresses.values()}
        }
    decided = []
    for deposit in deposits:
        address = addresses[deposit.number]
        client = clients[address.client_id]
        assert client is not None
        decided.append((Payable(deposit, address, client), why_returned(deposit, address)))
    new = [p for p, why_back in decided if not why_back and p.deposit.intent_id is None]
    terms = dict(zip([p.deposit.id for p in new], prepare_payments(services, new), strict=True))
    return [Credit(p, terms.get(p.deposit.id), why_back) for p, why_back in decided]


def _credit(services: Services, credits: Sequence[Credit], unit: UnitOfWork) -> int:
    return credit_standing_deposits(unit, services, credits)


def _credit_alone(services: Services, credits: Sequence[Credit]) -> int:
    def credit(part: Sequence[Credit]) -> int:
        return services.store.write(partial(_credit, services, part))

    return sum(bisect_batch(services, "crediting", credits, lambda c: c.deposit.owner, credit))


def _relocate(services: Services, chain: Chain, missing: Sequence[StandingDeposit]) -> None:
    """Take back deposits that are not in their block any more, and find them in another one, as a
    reorg that no scan has noticed yet may have moved them."""
    hashes = {deposit.incoming.tx_hash for deposit in missing}
    since = min(deposit.incoming.at for deposit in missing) - _REORG_MARGIN
    transfers = chain.transfers_to({deposit.incoming.to for deposit in missing}, since)
    candidates = [transfer for transfer in transfers if transfer.tx_hash in hashes]
    included = chain.verify_inclusion(candidates)
    moved = [t for t, is_there in zip(candidates, included, strict=True) if is_there]

    def work(unit: UnitOfWork) -> None:
        locked = unit.standing.lock_deposits([deposit.id for deposit in missing])
        gone = [d for d in missing if locked.get(d.id) == d]
        reverse_standing_deposits(unit, services, gone, services.clock.now(), _NOT_FOUND)
        record_standing_deposits(unit, services, moved)

    services.store.write(work)


def _done(services: Services, credited: int) -> int:
    services.process.failpoint("standing-credited")
    return credited


def _count(number: int) -> int:
    return number
