"""KYC customers: creation, e-mail addresses, and the erasure of personal data."""

from uuid import uuid4

from crossway.domain.clients import Principal, Scope
from crossway.domain.errors import InvalidStatus
from crossway.domain.kyc_fields import mask_email, parse_email
from crossway.domain.public_ids import RecordKind
from crossway.domain.roles import Permission
from crossway.ports.ramp_repository import KycCustomer
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork


def get_or_create_customer(services: Services, email: object) -> KycCustomer:
    """The customer with this e-mail address, created if unknown."""
    parsed_email = parse_email(email)
    index = services.vault.blind_index(parsed_email)
    with services.store.read() as unit:
        existing = unit.kyc_customers.find_by_email(index)
    if existing is not None:
        return existing
    encrypted = services.vault.encrypt(parsed_email.encode())
    customer = KycCustomer(str(uuid4()), encrypted, services.clock.now(), erased_at=None)
    return services.store.write(lambda unit: unit.kyc_customers.add(customer, index))


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
    """Erase the personal data that a customer's orders and submissions hold: those of this client,
    or all of them for staff. Orders stay without their fields. Returns the number of orders whose
    fields were removed; 0 for an unknown customer."""
    caller.require_scope(Scope.WRITE, Permission.MANAGE)
    index = services.vault.blind_index(parse_email(email))
    client_id = None if caller.is_staff else caller.client.id
    now = services.clock.now()

    def work(unit: UnitOfWork) -> int:
        customer = unit.kyc_customers.find_by_email(index)
        if customer is None:
            return 0
        unit.kyc_customers.lock(customer.id)
        open_order_id = unit.kyc_customers.find_open_order(customer.id, client_id)
        if open_order_id is not None:
            number = unit.public_ids.encode(RecordKind.ORDER, open_order_id)
            raise InvalidStatus(
                f"Order {number} of this user is under way; erase the user once it has ended"
            )
        erasure = unit.kyc_customers.erase(customer.id, now, client_id)
        detail = {"customer": customer.id, "orders": erasure.orders, "complete": erasure.complete}
        unit.audit_log.record(
            caller.client.name, "customer erased", detail, now, f"customer:{customer.id}"
        )
        return erasure.orders

    return services.store.write(work)
