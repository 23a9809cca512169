"""Drafts the next migration from the difference between the tables and the migrations."""

import sys
import tempfile
from pathlib import Path

from alembic import command
from alembic.config import Config

from crossway.adapters.chains.simulated.blocks.tables import METADATA as SIMULATED
from crossway.adapters.ramps.sandbox.tables import METADATA as SANDBOX
from crossway.storage.all_tables import METADATA
from crossway.storage.migrate import FOLDER, upgrade
from crossway.storage.store import connect


def main(message: str, number: str) -> None:
    """Write versions/NUMBER_MESSAGE.py; review it before committing."""
    with tempfile.TemporaryDirectory() as folder:
        writer, _ = connect(f"sqlite:///{Path(folder) / 'empty.db'}")
        upgrade(writer)
        config = Config()
        config.set_main_option("script_location", str(FOLDER))
        config.set_main_option("file_template", "%%(rev)s_%%(slug)s")
        with writer.begin() as db:
            config.attributes["connection"] = db
            config.attributes["metadata"] = [METADATA, SIMULATED, SANDBOX]
            command.revision(config, message, autogenerate=True, rev_id=number)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python scripts/new_migration.py REVISION 'message'")
    main(sys.argv[2], sys.argv[1])
