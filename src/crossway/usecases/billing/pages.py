"""The URLs of the pages of invoices and subscriptions, which nobody can guess."""

from crossway.ports.services import Services


def invoice_path(name: str) -> str:
    """The path of an invoice's page below `/pay`."""
    return f"i/{name}"


def subscription_path(name: str) -> str:
    """The path of a subscription's page below `/pay`."""
    return f"s/{name}"


def page_url(services: Services, request_origin: str, path: str) -> str:
    """The URL of a path below `/pay`; `request_origin` as in `checkout_urls.checkout_url`."""
    ingress = services.policy.ingress
    origin = ingress.public_url or request_origin or ingress.local_url
    return f"{origin}/pay/{path}"
