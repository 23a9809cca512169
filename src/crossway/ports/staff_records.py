"""What is remembered of the installation's people: who they are, and that they are signed in."""

from collections.abc import Collection
from datetime import datetime
from typing import Protocol

from crossway.domain.staff import Member, Stay, Way


class StaffRecords(Protocol):
    """People and their stays. E-mail addresses are sealed and found by a keyed digest."""

    def add(self, member: Member, email_index: str | None) -> Member | None:
        """Store somebody new; None when the name or the address is somebody's already."""
        ...

    def change(self, member: Member) -> None:
        """Store role, password, and whether they are disabled."""
        ...

    def readdress(self, member_id: int, sealed: bytes | None, index: str | None) -> bool:
        """Store another e-mail address or none; False when it is somebody else's."""
        ...

    def get(self, member_id: int) -> Member | None: ...
    def named(self, name_key: str) -> Member | None: ...
    def of_email(self, email_index: str) -> Member | None: ...
    def every(self) -> list[Member]:
        """Everybody, oldest first."""
        ...

    def known(self) -> bool:
        """Whether there is anybody."""
        ...

    def begin(self, stay: Stay, token_hash: str, proof: str | None) -> bool:
        """Let somebody in; False when this proof of a sign-in was used before."""
        ...

    def stay(self, token_hash: str) -> Stay | None: ...
    def touch(self, token_hash: str, at: datetime) -> None:
        """Somebody did something; never earlier than what is known."""
        ...

    def end(self, stay_ids: Collection[int], at: datetime) -> None: ...
    def stays_of(self, member_id: int | None) -> list[Stay]:
        """Those of one person that have not ended; of None, those before there were people."""
        ...

    def came(self, member_id: int, way: Way, at: datetime) -> None: ...
    def forget_stays(self, before: datetime) -> int:
        """Forget those that began before an instant."""
        ...
