"""Payment links, their uses and clients' looks, as the store takes them and gives them back."""

from typing import Protocol

from crossway.domain.links import LinkUse, PaymentLink
from crossway.domain.looks import Look


class LinkRecords(Protocol):
    """Payment links, the intents that payers made by them, and looks."""

    def add(self, link: PaymentLink) -> None: ...
    def get(self, link_id: str) -> PaymentLink | None: ...
    def lock(self, link_id: str) -> PaymentLink | None:
        """The link as it stands, held until the unit of work ends."""
        ...

    def change(self, link: PaymentLink) -> None:
        """Store all of a link but its owner, its mode and how often it was used."""
        ...

    def page(
        self, client_id: str | None, limit: int, before: PaymentLink | None = None
    ) -> list[PaymentLink]:
        """Those of a client, or of all, newest first."""
        ...

    def count_of(self, client_id: str) -> int: ...

    def use(self, use: LinkUse) -> bool:
        """Store a use (its id is assigned) and count it; False where the form was used before."""
        ...

    def use_of(self, link_id: str, nonce: str) -> LinkUse | None: ...
    def uses(self, link_id: str, limit: int, before_id: int | None = None) -> list[LinkUse]:
        """Newest first."""
        ...

    def look(self, client_id: str) -> Look | None:
        """How a client's pages for payers look; None where nothing was set."""
        ...

    def put_look(self, look: Look) -> None: ...
    def look_of(self, digest: str) -> Look | None:
        """A look by the digest of its picture."""
        ...
