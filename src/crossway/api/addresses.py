"""Where payers find their pages, as answers of the API name it."""

from starlette.requests import Request

from crossway.domain.intent import Intent
from crossway.domain.links import PaymentLink
from crossway.ports.services import Services
from crossway.usecases.payers.paying import link_address, page_address


def payment_url(request: Request, intent: Intent) -> str:
    """The payer's page of an intent."""
    services: Services = request.app.state.services
    return page_address(services, _asked_at(request), intent.id)


def link_url(request: Request, link: PaymentLink) -> str:
    """The page of a payment link."""
    services: Services = request.app.state.services
    return link_address(services, _asked_at(request), link.id)


def _asked_at(request: Request) -> str:
    return f"{request.url.scheme}://{request.url.netloc}"
