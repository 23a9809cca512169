"""KYC with a provider that verifies nobody itself and obliges the operator to do it."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from crossway.adapters.ramps.credentials import OperatorAttestedCredentials
from crossway.adapters.ramps.provider_client import ProviderClient
from crossway.domain.kyc import KycStatus, KycType, VerificationStatus
from crossway.ports.ramps import Document, ProviderRejected

ATTESTED = VerificationStatus(KycType.ADVANCED, KycStatus.APPROVED)
C = TypeVar("C", bound=OperatorAttestedCredentials)


class OperatorAttestedClient(ProviderClient[C]):
    """Base of the clients of such providers: the operator attests KYC in the settings."""

    def get_kyc_status(self, email: str, country: str) -> VerificationStatus:
        """Approved for everybody once the operator attests its own checks; else not started."""
        attested = self._credentials.identities == "checked_by_operator"
        return ATTESTED if attested else VerificationStatus()

    def submit_kyc(
        self, email: str, country: str, fields: Mapping[str, str], documents: Sequence[Document]
    ) -> VerificationStatus:
        """The attested status. Raises `ProviderRejected` without an attestation, as the provider
        accepts no submissions."""
        status = self.get_kyc_status(email, country)
        if status.status is not KycStatus.APPROVED:
            raise ProviderRejected(
                f"{self.title} checks no identities: the operator has to, and has to confirm it "
                "in the settings"
            )
        return status
