"""Rotation of the secret key: everything is re-encrypted and nothing is lost."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet

from crossway import bootstrap
from crossway.adapters.vault import FernetVault, InvalidSecretKey, open_vault
from crossway.domain.ramps import OrderState
from crossway.settings import Settings, secret_keys_of, write_private
from crossway.startup_checks import SetupError
from crossway.storage.encrypted_values import ENCRYPTED_COLUMNS, SEALED_COLUMNS
from crossway.usecases.kyc import customers, verification
from crossway.usecases.operating.key_rotation import BATCH_SIZE, rotate_encryption
from tests.harness import SECRET_KEY
from tests.kyc_provider import BASIC, EMAIL, OWNER, KycHarness, new_kyc_harness
from tests.storage.ramp_records import an_order
from tests.storage.records import run_concurrently
from tests.test_cli import crossway

NEW = Fernet.generate_key()


@pytest.fixture
def kyc(tmp_path: Path) -> Iterator[KycHarness]:
    with new_kyc_harness(tmp_path / "data") as world:
        yield world


def add_orders(kyc: KycHarness) -> None:
    """Add orders of a customer with a submission."""
    verification.submit_kyc(*kyc.staff_args, "YELLOW_CARD", EMAIL, "NG", BASIC)
    person = customers.get_or_create_customer(kyc.services, OWNER, EMAIL)
    for _ in range(2 * BATCH_SIZE + 1):
        order = an_order(
            customer_id=person.id,
            encrypted_fields=kyc.services.vault.encrypt(b"fields"),
            state=OrderState.COMPLETED,
        )
        kyc.world.store.write(lambda unit, order=order: unit.orders.add(order))  # type: ignore[misc]


def with_key_ring(kyc: KycHarness, *keys: bytes) -> KycHarness:
    vault = open_vault(keys, kyc.world.store)
    return replace(kyc, services=replace(kyc.services, vault=vault))


def list_encrypted_values(kyc: KycHarness) -> list[bytes]:
    def work(unit: Any) -> list[bytes]:
        kinds = [
            unit.encrypted_values.lock_page(kind, 100, None)
            for kind in unit.encrypted_values.list_kinds()
        ]
        return [value for kind in kinds for _, value in kind]

    return kyc.world.store.write(work)


def test_after_a_rotation_the_new_key_alone_decrypts_everything(kyc: KycHarness) -> None:
    add_orders(kyc)
    done = rotate_encryption(with_key_ring(kyc, NEW, SECRET_KEY).services, "Ada")
    assert done.clean
    assert done.reencrypted["orders.encrypted_fields"] == 2 * BATCH_SIZE + 1
    assert done.reencrypted["kyc_submissions.encrypted_value"] == len(BASIC)
    assert (
        done.reencrypted["kyc_customers.encrypted_email"]
        == done.reencrypted["stored_secrets.encrypted_value"]
        == 1
    )
    alone = with_key_ring(kyc, NEW)
    assert len(list_encrypted_values(kyc)) == sum(done.reencrypted.values())
    for value in list_encrypted_values(kyc):
        assert alone.services.vault.decrypt(value)
    person = customers.get_or_create_customer(alone.services, OWNER, EMAIL)
    assert customers.decrypt_email(alone.services, person) == EMAIL
    with pytest.raises(InvalidSecretKey):
        with_key_ring(kyc, SECRET_KEY)


def test_an_interrupted_rotation_resumes(kyc: KycHarness) -> None:
    add_orders(kyc)
    both = with_key_ring(kyc, NEW, SECRET_KEY)

    class Ended(Exception):
        pass

    class Failing(FernetVault):
        left = BATCH_SIZE + 3

        def reencrypt(self, list_encrypted_values: bytes) -> bytes | None:
            self.left -= 1
            if self.left < 0:
                raise Ended
            return super().reencrypt(list_encrypted_values)

    failing = Failing([NEW, SECRET_KEY], b"")
    with pytest.raises(Ended):
        rotate_encryption(replace(both.services, vault=failing), "Ada")
    assert with_key_ring(kyc, SECRET_KEY).services.vault.blind_index(EMAIL)
    done = rotate_encryption(both.services, "Ada")
    assert done.clean
    assert done.reencrypted["orders.encrypted_fields"] == BATCH_SIZE + 1
    assert not any(rotate_encryption(both.services, "Ada").reencrypted.values())


def test_the_next_rotation_reencrypts_what_an_old_process_wrote(
    kyc: KycHarness,
) -> None:
    both = with_key_ring(kyc, NEW, SECRET_KEY)
    assert rotate_encryption(both.services, "Ada").clean
    order = an_order(encrypted_fields=kyc.services.vault.encrypt(b"late"))
    kyc.world.store.write(lambda unit: unit.orders.add(order))
    assert rotate_encryption(both.services, "Ada").reencrypted["orders.encrypted_fields"] == 1
    assert not any(rotate_encryption(both.services, "Ada").reencrypted.values())


def test_values_that_no_key_decrypts_are_named_and_the_old_key_stays(kyc: KycHarness) -> None:
    order = an_order(encrypted_fields=Fernet(Fernet.generate_key()).encrypt(b"lost"))
    order = kyc.world.store.write(lambda unit: unit.orders.add(order))
    done = rotate_encryption(with_key_ring(kyc, NEW, SECRET_KEY).services, "Ada")
    assert not done.clean
    assert done.undecryptable["orders.encrypted_fields"] == [order.id]


def test_a_rotation_is_audited(kyc: KycHarness) -> None:
    rotate_encryption(kyc.services, "Ada")
    with kyc.world.store.read() as unit:
        (line,) = [line for line in unit.audit_log.list_recent(9) if line[1] == "Ada"]
    assert line[2] == "secrets re-encrypted"
    columns = {(table.name, column) for table, _, column in ENCRYPTED_COLUMNS}
    columns |= {(table.name, column) for table, column in SEALED_COLUMNS}
    assert set(line[3]["reencrypted"]) == {f"{table}.{column}" for table, column in columns}


@pytest.mark.slow
def test_commands_rotate_the_key_and_a_wrong_key_stops_the_start(tmp_path: Path) -> None:
    assert crossway(tmp_path, "keys", "list").exit_code == 0
    old = (tmp_path / "secret.key").read_text()
    new = crossway(tmp_path, "secrets", "new").stdout.strip()
    wrong = crossway(tmp_path, "keys", "list", CROSSWAY_SECRET_KEY=new)
    assert (wrong.exit_code, wrong.stdout) == (1, "")
    assert "CROSSWAY_SECRET_KEY: none of the secret keys decrypts" in wrong.stderr
    assert new not in wrong.stderr
    sign_in = {"CROSSWAY_DASHBOARD_PASSWORD": "four words nobody expects"}
    examined = crossway(tmp_path, "doctor", CROSSWAY_SECRET_KEY=new, **sign_in)
    assert examined.stdout == (
        "the secret key is not the one that this database was first started with\n"
    )
    done = crossway(tmp_path, "secrets", "rotate", CROSSWAY_SECRET_KEY=f"{new},{old}")
    assert "All data is encrypted with the first key. If every process was restarted" in done.stdout
    assert crossway(tmp_path, "keys", "list", CROSSWAY_SECRET_KEY=new).exit_code == 0
    assert crossway(tmp_path, "keys", "list").exit_code == 1
    (tmp_path / "secret.key").write_text(f"{new}\n{old}\n")
    assert crossway(tmp_path, "keys", "list").exit_code == 0


def test_a_key_file_appears_complete(tmp_path: Path) -> None:
    settings = Settings(_env_file=None, data_dir=tmp_path)  # type: ignore[call-arg]
    result = run_concurrently([lambda: secret_keys_of(settings)] * 16)
    assert len(set(result)) == 1
    assert len(result[0]) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["secret.key"]
    with pytest.raises(FileExistsError):
        write_private(settings.secret_key_file, b"another")


def test_a_malformed_key_is_reported_in_one_sentence(tmp_path: Path) -> None:
    chosen: Any = {"data_dir": tmp_path, "secret_key": "short", "_env_file": None}
    with pytest.raises(SetupError, match="CROSSWAY_SECRET_KEY: the secret key must be 32 bytes"):
        bootstrap.build(Settings(**chosen))
