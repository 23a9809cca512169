"""The numbers by which transactions, postings and alerts belong to something: a payment, a
rebalancing transfer or a deposit at a standing address."""

from crossway.domain.rebalancing import is_rebalancing, rebalancing_id
from crossway.domain.standing import is_standing, standing_deposit_id, standing_owner


def is_payment(owner: int) -> bool:
    """Whether what belongs to this number belongs to a payment."""
    return owner > 0


def owner_title(owner: int) -> str:
    """The payment, or what else something belongs to, within a sentence."""
    if is_standing(owner):
        return f"deposit {standing_deposit_id(owner)} at a standing address"
    if is_rebalancing(owner):
        return f"rebalancing transfer {rebalancing_id(owner)}"
    return f"payment {owner}"


def owner_subject(owner: int) -> str:
    """The subject of an alert about what belongs to a payment or to something else."""
    if is_standing(owner):
        return f"standing:{standing_deposit_id(owner)}"
    return f"rebalancing:{rebalancing_id(owner)}" if is_rebalancing(owner) else str(owner)


def owner_of_subject(subject: str) -> int:
    """The number of what an alert is about; raises `ValueError` where that is something else."""
    kind, _, id = subject.rpartition(":")
    if kind == "standing":
        return standing_owner(int(id))
    return -int(id) if kind == "rebalancing" else int(subject)
