"""KYC customers: creation, e-mail addresses, and the erasure of personal data."""

from datetime import datetime
from uuid import uuid4

from crossway.domain.clients import Owner, OwnerFilter, Principal, Scope
from crossway.domain.errors import InvalidStatus
from crossway.domain.kyc import month_start
from crossway.domain.kyc_fields import mask_email, parse_email
from crossway.domain.public_ids import RecordKind
from crossway.domain.roles import Permission
from crossway.ports.ramp_repository import KycCustomer
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork


def get_or_create_customer(services: Services, owner: Owner, email: object) -> KycCustomer:
    """The owner's customer with this e-mail address, created if unknown."""
    parsed_email = parse_email(email)
    index = services.vault.blind_index(parsed_email)
    with services.store.read() as unit:
        existing = unit.kyc_customers.find(owner, index)
    if existing is not None:
        return existing
    customer = KycCustomer(
        str(uuid4()),
        owner.client_id,
        owner.mode,
        index,
        services.vault.encrypt(parsed_email.encode()),
        services.clock.now(),
        erased_at=None,
    )
    return services.store.write(lambda unit: unit.kyc_customers.add(customer))


def list_customers(services: Services, caller: Principal, email: object) -> list[KycCustomer]:
    """The person with this e-mail address, as each of the clients that the caller sees knows
    them. Raises `InvalidInput`."""
    caller.require_scope(Scope.READ)
    index = services.vault.blind_index(parse_email(email))
    with services.store.read() as unit:
        return unit.kyc_customers.list_by_email(caller.narrow(OwnerFilter()), index)


def decrypt_email(services: Services, customer: KycCustomer) -> str:
    """The full e-mail address, for a provider; empty once the customer is erased."""
    encrypted = customer.encrypted_email
    return "" if encrypted is None else services.vault.decrypt(encrypted).decode()


def masked_email(services: Services, customer: KycCustomer) -> str:
    """The masked e-mail address for display; empty once the customer is erased."""
    email = decrypt_email(services, customer)
    return mask_email(email) if email else ""


def get_masked_email(services: Services, customer_id: str | None) -> str:
    """The masked e-mail address of a customer by id; empty when unknown."""
    if customer_id is None:
        return ""
    with services.store.read() as unit:
        customer = unit.kyc_customers.get(customer_id)
    return masked_email(services, customer) if customer else ""


def erase_customer(services: Services, caller: Principal, email: object) -> int:
    """Erase the personal data that a client's orders and submissions hold of a person; for staff
    those of every client. Orders stay without their fields, and what was used of a monthly limit
    stays counted. Returns the number of orders whose fields were removed; 0 for an unknown person.
    """
    caller.require_scope(Scope.WRITE, Permission.MANAGE)
    index = services.vault.blind_index(parse_email(email))
    owners, now = caller.narrow(OwnerFilter()), services.clock.now()

    def work(unit: UnitOfWork) -> int:
        return sum(
            _erase(unit, caller, customer, now)
            for customer in unit.kyc_customers.list_by_email(owners, index)
        )

    return services.store.write(work)


def _erase(unit: UnitOfWork, caller: Principal, customer: KycCustomer, now: datetime) -> int:
    """Erase one client's record of a person. Raises `InvalidStatus` while an order is open."""
    unit.kyc_customers.lock(customer.id)
    open_order_id = unit.kyc_customers.find_open_order(customer.id)
    if open_order_id is not None:
        number = unit.public_ids.encode(RecordKind.ORDER, open_order_id)
        raise InvalidStatus(
            f"Order {number} of this user is under way; erase the user once it has ended"
        )
    orders = unit.kyc_customers.erase(customer.id, now, month_start(now))
    unit.kyc_checks.delete(customer.id)
    detail, subject = {"customer": customer.id, "orders": orders}, f"customer:{customer.id}"
    unit.audit_log.record(caller.client.name, "customer erased", detail, now, subject)
    return orders
