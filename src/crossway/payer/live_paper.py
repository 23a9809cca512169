"""Pages of invoices and subscriptions, which change by themselves while they are open."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from starlette.responses import Response

from crossway.payer.responses import (
    PageRequest,
    page_brand,
    render_fragment,
    render_page,
    unchanged,
)
from crossway.usecases.payers.checkout import Merchant


@dataclass(frozen=True, slots=True)
class LivePaper:
    """One page: its template and what that shows, its path, the service's time. `state` is told to
    sites that embed it; one that has ended is looked at less often."""

    template: str
    merchant: Merchant
    title: str
    path: str
    at: datetime
    state: str
    ended: bool
    page: Mapping[str, object]

    @property
    def now(self) -> int:
        """The service's time in milliseconds."""
        return int(self.at.timestamp() * 1_000)

    @property
    def version(self) -> str:
        """A hash that changes when the page changes."""
        return sha256(repr((self.state, self.page)).encode()).hexdigest()[:16]

    def respond(self, page_request: PageRequest) -> Response:
        """The whole page."""
        poll_url = page_request.path(f"{self.path}/live", live="1")
        brand = page_brand(self.merchant)
        return render_page(
            page_request, "paper.html", brand, self.title, page=self.page, live=self,
            poll_url=poll_url,
        )  # fmt: skip

    def update(self, page_request: PageRequest) -> Response:
        """What has changed since the version that the page's script has."""
        if page_request.request.query_params.get("version") == self.version:
            return unchanged(self.now)
        brand = page_brand(self.merchant)
        return render_fragment(
            page_request, self.template, brand, self.now, page=self.page, live=self
        )
