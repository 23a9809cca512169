"""What lies on the chain: storage, classes and nonces, with an undo log."""

from starkware.starknet.business_logic.state.state_api import SyncState
from starkware.starknet.public.abi import get_storage_var_address


class Classes:
    """The classes that were declared, ready to run, and their Sierra form."""

    def __init__(self):
        self.runnable, self.sierra = {}, {}


class Ledger(SyncState):
    """The state after a block; a copy of it is the state of the next."""

    def __init__(self, classes, block_info):
        self.classes, self._block_info = classes, block_info
        self.storage, self.at, self.nonces = {}, {}, {}
        self.log = []

    def copy(self):
        made = Ledger(self.classes, self._block_info)
        made.storage, made.at = dict(self.storage), dict(self.at)
        made.nonces = dict(self.nonces)
        return made

    def _set(self, table, key, value):
        self.log.append((table, key, table.get(key)))
        table[key] = value

    def mark(self):
        return len(self.log)

    def undo(self, mark):
        while len(self.log) > mark:
            table, key, value = self.log.pop()
            if value is None:
                table.pop(key, None)
            else:
                table[key] = value

    def written(self, mark):
        """How many cells were changed since a mark."""
        return len({(id(table), key) for table, key, _ in self.log[mark:]})

    @property
    def block_info(self):
        return self._block_info

    def update_block_info(self, block_info):
        self._block_info = block_info

    def get_compiled_class(self, compiled_class_hash):
        return self.classes.runnable[compiled_class_hash]

    def get_sierra_class(self, class_hash):
        raise NotImplementedError

    def get_compiled_class_hash(self, class_hash):
        return class_hash if class_hash in self.classes.runnable else 0

    def set_compiled_class_hash(self, class_hash, compiled_class_hash):
        raise NotImplementedError

    def get_class_hash_at(self, contract_address):
        return self.at.get(contract_address, 0)

    def set_class_hash_at(self, contract_address, class_hash):
        self._set(self.at, contract_address, class_hash)

    def get_nonce_at(self, data_availability_mode, contract_address):
        return self.nonces.get(contract_address, 0)

    def increment_nonce(self, data_availability_mode, contract_address):
        self._set(self.nonces, contract_address, self.nonces.get(contract_address, 0) + 1)

    def get_storage_at(self, data_availability_mode, contract_address, key):
        return self.storage.get((contract_address, key), 0)

    def set_storage_at(self, data_availability_mode, contract_address, key, value):
        self._set(self.storage, (contract_address, key), value)

    def add_units(self, token, owner, units):
        """Add to (or take from) a balance of one of our tokens, without its code."""
        low = get_storage_var_address("balances", owner)
        held = self.units(token, owner) + units
        if held < 0:
            raise ValueError("it does not hold that much")
        self._set(self.storage, (token, low), held % 2**128)
        self._set(self.storage, (token, low + 1), held >> 128)

    def units(self, token, owner):
        low = get_storage_var_address("balances", owner)
        return self.storage.get((token, low), 0) + (self.storage.get((token, low + 1), 0) << 128)
