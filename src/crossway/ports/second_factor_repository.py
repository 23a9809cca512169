"""The repository of second factors of staff."""

from collections.abc import Collection
from datetime import datetime
from typing import Protocol

from crossway.domain.second_factors import Authenticator, Passkey, SecondFactors


class SecondFactorRepository(Protocol):
    """Authenticator apps, passkeys and recovery codes. Secrets are encrypted, codes hashed."""

    def get(self, member_id: int) -> SecondFactors:
        """All second factors of a person."""
        ...

    def list_by_members(self, member_ids: Collection[int]) -> dict[int, SecondFactors]:
        """The second factors of each of these people."""
        ...

    def set_authenticator(self, authenticator: Authenticator) -> None:
        """Store a person's authenticator app in place of any other."""
        ...

    def delete_authenticator(self, member_id: int) -> None: ...
    def use_step(self, member_id: int, step: int) -> bool:
        """Store the step of a code that is taken; False when it or a later one was taken before."""
        ...

    def add_passkey(self, passkey: Passkey) -> Passkey | None:
        """Store a new passkey; None when it is known already."""
        ...

    def find_passkey(self, credential_id: str) -> Passkey | None: ...
    def has_passkeys(self) -> bool:
        """Whether anybody has a passkey."""
        ...

    def use_passkey(self, passkey: Passkey, sign_count: int, at: datetime) -> bool:
        """Store a use of a passkey; False when it was deleted or used otherwise meanwhile."""
        ...

    def delete_passkey(self, passkey_id: int) -> None: ...
    def replace_recovery_codes(self, member_id: int, code_hashes: Collection[str]) -> None:
        """Store a person's recovery codes in place of all earlier ones."""
        ...

    def has_recovery_code(self, code_hash: str) -> bool:
        """Whether this recovery code exists and was not used."""
        ...

    def use_recovery_code(self, code_hash: str, at: datetime) -> bool:
        """Use up a recovery code; False when there is no such code that was not used."""
        ...

    def delete_all(self, member_id: int) -> None:
        """Delete every second factor and recovery code of a person."""
        ...
