"""Identities with a provider that checks nobody and obliges the operator to do it."""

from crossway.adapters.ramps.access import VouchedAccess
from crossway.domain.kyc import KycStatus, KycType, Standing
from crossway.ports.ramps import ProviderRefused

VOUCHED = Standing(KycType.ADVANCED, KycStatus.APPROVED)


def vouched(access: VouchedAccess) -> Standing:
    """Everybody stands where the operator's own check put them, or nowhere."""
    return VOUCHED if access.identities == "checked_by_operator" else Standing()


def no_submission(title: str, access: VouchedAccess) -> Standing:
    """There is nobody to hand anything to. Raises `ProviderRefused` unless the operator vouches."""
    standing = vouched(access)
    if standing.status is not KycStatus.APPROVED:
        raise ProviderRefused(
            f"{title} checks no identities: the operator has to, and to say so in the settings"
        )
    return standing
