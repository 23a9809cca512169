"""The branding of a client's checkout pages: its logo, and the origins that may frame them."""

from collections.abc import Sequence
from dataclasses import replace

from crossway.domain.branding import MAX_FRAME_ORIGINS, Branding, detect_logo_type, frame_origin
from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput, NotFound
from crossway.domain.roles import Permission
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.validation_errors import ValidationErrors


def get_branding(services: Services, caller: Principal, client_id: str) -> Branding:
    """A client's branding, empty if none was set. Raises `NotFound`."""
    caller.require_permission(Permission.VIEW)
    with services.store.read() as unit:
        if unit.api_keys.get_client(client_id) is None:
            raise NotFound("Client not found")
        return unit.payment_links.get_branding(client_id) or Branding(client_id)


def update_branding(
    services: Services,
    caller: Principal,
    client_id: str,
    logo: bytes | None = None,
    frames: Sequence[str] | None = None,
) -> Branding:
    """Set the logo (empty bytes remove it) or the origins that may frame the page; None leaves a
    value unchanged. Audited. Raises `InvalidInput` and `NotFound`."""
    caller.require_permission(Permission.MANAGE)
    errors, now = ValidationErrors(), services.clock.now()
    logo_type = errors.collect(detect_logo_type, logo) if logo else None
    origins = errors.collect(_parse_origins, frames) if frames is not None else None
    errors.raise_if_any()

    def work(unit: UnitOfWork) -> Branding:
        client = unit.api_keys.get_client(client_id)
        if client is None:
            raise NotFound("Client not found")
        before = unit.payment_links.get_branding(client_id) or Branding(client_id)
        after = before
        if logo is not None:
            after = replace(after, logo=logo, logo_type=logo_type or "")
        if origins is not None:
            after = replace(after, frames=origins)
        if after != before:
            unit.payment_links.save_branding(after)
            detail, subject = {"client": client.name}, f"client:{client_id}"
            unit.audit_log.record(
                caller.actor_name,
                "branding changed",
                detail,
                now,
                subject,
                _audit_fields(before),
                _audit_fields(after),
            )
        return after

    return services.store.write(work)


def _parse_origins(frames: Sequence[str]) -> tuple[str, ...]:
    origins = tuple(dict.fromkeys(frame_origin(text) for text in frames if text.strip()))
    if len(origins) > MAX_FRAME_ORIGINS:
        raise InvalidInput(f"frames must be at most {MAX_FRAME_ORIGINS} origins")
    return origins


def _audit_fields(branding: Branding) -> dict[str, object]:
    """The branding as recorded in the audit log: the logo by its digest."""
    return {"logo": branding.digest, "frames": list(branding.frames)}


def get_by_digest(services: Services, digest: str) -> Branding:
    """The branding whose logo has this digest; raises `NotFound`."""
    with services.store.read() as unit:
        branding = unit.payment_links.find_branding_by_digest(digest) if digest else None
    if branding is None:
        raise NotFound("Logo not found")
    return branding
