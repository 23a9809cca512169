"""What a node is asked and answers: the methods of Starknet's JSON-RPC, and the hands of a test."""

from starkware.starknet.core.os.transaction_hash.transaction_hash import (
    calculate_invoke_transaction_hash,
)
from starkware.starknet.definitions.fields import Resource, ResourceBounds

from node.chain import DATA_PRICE, L1_PRICE, L2_PRICE, Transaction, fee_of, used
from node.execution import EXECUTE, VALIDATE, run, sending
from node.wire import Refusal, event_told, felt, felts, fits, outcome, price, told

QUERY = 2**128
CHUNK, KEYS = 1024, 1024
RESOURCES = {
    "l1_gas": Resource.L1_GAS,
    "l2_gas": Resource.L2_GAS,
    "l1_data_gas": Resource.L1_DATA_GAS,
}


class Answers:
    """One method for each that is asked; its parameters have the names of the specification."""

    def __init__(self, blocks, classes, chain_id):
        self.blocks, self.classes, self.chain_id = blocks, classes, chain_id

    # What the chain is.

    def starknet_specVersion(self):
        return "0.10.2"

    def starknet_chainId(self):
        return hex(self.chain_id)

    def starknet_syncing(self):
        return False

    def starknet_blockNumber(self):
        return self.blocks.newest.number

    def starknet_blockHashAndNumber(self):
        return {
            "block_hash": hex(self.blocks.newest.hash),
            "block_number": self.blocks.newest.number,
        }

    def at(self, block_id):
        """The block that an id names."""
        blocks = self.blocks.blocks
        if block_id == "latest":
            return blocks[-1]
        if block_id in ("pending", "pre_confirmed"):
            return self.blocks.pending or blocks[-1]
        if block_id == "l1_accepted":
            found = [b for b in blocks if self.blocks.finality(b) == "ACCEPTED_ON_L1"]
            return (found or blocks[:1])[-1]
        if isinstance(block_id, dict) and isinstance(block_id.get("block_number"), int):
            if 0 <= block_id["block_number"] < len(blocks):
                return blocks[block_id["block_number"]]
            raise Refusal(24, "Block not found")
        if isinstance(block_id, dict) and "block_hash" in block_id:
            for block in reversed(blocks):
                if block.hash == felt(block_id["block_hash"]):
                    return block
            raise Refusal(24, "Block not found")
        raise Refusal(-32602, "Invalid params", f"{block_id!r} is no block id")

    def header(self, block):
        made = {
            "parent_hash": hex(block.parent),
            "block_number": block.number,
            "timestamp": block.time,
            "sequencer_address": hex(block.ledger.block_info.sequencer_address),
            "l1_gas_price": price(L1_PRICE),
            "l1_data_gas_price": price(DATA_PRICE),
            "l2_gas_price": price(L2_PRICE),
            "l1_da_mode": "BLOB",
            "starknet_version": "0.14.0",
        }
        if block is self.blocks.pending:
            return {"status": "PRE_CONFIRMED", **made}
        root = {"block_hash": hex(block.hash), "new_root": hex(block.hash // 3)}
        return {"status": self.blocks.finality(block), **root, **made}

    def starknet_getBlockWithTxHashes(self, block_id):
        block = self.at(block_id)
        return {**self.header(block), "transactions": told(block.receipts)}

    def starknet_getBlockWithTxs(self, block_id):
        block = self.at(block_id)
        listed = [self.wire(tx_hash) for tx_hash in block.receipts]
        return {**self.header(block), "transactions": listed}

    def starknet_getBlockWithReceipts(self, block_id):
        block = self.at(block_id)
        listed = []
        for tx_hash in block.receipts:
            wire = self.wire(tx_hash)
            wire.pop("transaction_hash")
            listed.append({"transaction": wire, "receipt": self.receipt(tx_hash, block)})
        return {**self.header(block), "transactions": listed}

    def starknet_getBlockTransactionCount(self, block_id):
        return len(self.at(block_id).receipts)

    # What lies at an address.

    def starknet_getNonce(self, block_id, contract_address):
        ledger, address = self.at(block_id).ledger, felt(contract_address)
        self.deployed(ledger, address)
        return hex(ledger.nonces.get(address, 0))

    def starknet_getStorageAt(self, contract_address, key, block_id):
        ledger, address = self.at(block_id).ledger, felt(contract_address)
        self.deployed(ledger, address)
        return hex(ledger.storage.get((address, felt(key)), 0))

    def deployed(self, ledger, address):
        if address not in ledger.at:
            raise Refusal(20, "Contract not found")
        return ledger.at[address]

    def starknet_getClassHashAt(self, block_id, contract_address):
        return hex(self.deployed(self.at(block_id).ledger, felt(contract_address)))

    def starknet_getClass(self, block_id, class_hash):
        found = self.classes.sierra.get(felt(class_hash))
        if found is None:
            raise Refusal(28, "Class hash not found")
        return found

    def starknet_getClassAt(self, block_id, contract_address):
        found = self.deployed(self.at(block_id).ledger, felt(contract_address))
        return self.classes.sierra[found]

    def starknet_call(self, request, block_id):
        block = self.at(block_id)
        address = felt(request["contract_address"])
        self.deployed(block.ledger, address)
        ran = run(
            block.ledger.copy(),
            self.blocks.general,
            address,
            felt(request["entry_point_selector"]),
            felts(request["calldata"]),
        )
        if ran.words.endswith("('ENTRYPOINT_NOT_FOUND')).\n") and ran.steps == 0:
            raise Refusal(21, "Requested entrypoint does not exist in the contract")
        if ran.words:
            raise Refusal(40, "Contract error", {"revert_error": ran.words})
        return told(ran.retdata)

    # Transactions.

    def read(self, sent):
        """A transaction as it was sent, with the hash that its account signed."""
        version = felt(sent.get("version", "0x0"))
        if version % QUERY != 3 or sent.get("type") != "INVOKE":
            raise Refusal(61, "The transaction version is not supported")
        bounds = {
            kind: (felt(one["max_amount"]), felt(one["max_price_per_unit"]))
            for kind, one in sent["resource_bounds"].items()
        }
        modes = {"L1": 0, "L2": 1}
        calldata, nonce, sender = (
            felts(sent["calldata"]),
            felt(sent["nonce"]),
            felt(sent["sender_address"]),
        )
        tx_hash = calculate_invoke_transaction_hash(
            version=version,
            nonce=nonce,
            sender_address=sender,
            nonce_data_availability_mode=modes[sent["nonce_data_availability_mode"]],
            fee_data_availability_mode=modes[sent["fee_data_availability_mode"]],
            resource_bounds={
                resource: ResourceBounds(max_amount=bounds[k][0], max_price_per_unit=bounds[k][1])
                for k, resource in RESOURCES.items()
            },
            tip=felt(sent["tip"]),
            paymaster_data=felts(sent["paymaster_data"]),
            calldata=calldata,
            account_deployment_data=felts(sent["account_deployment_data"]),
            chain_id=self.chain_id,
        )
        return Transaction(
            tx_hash,
            sender,
            nonce,
            tuple(calldata),
            {**sent, "transaction_hash": hex(tx_hash)},
            tuple(felts(sent["signature"])),
            bounds,
            felt(sent["tip"]),
        )

    def starknet_addInvokeTransaction(self, invoke_transaction):
        one = self.read(invoke_transaction)
        ledger = self.blocks.newest.ledger
        if felt(invoke_transaction["version"]) != 3:
            raise Refusal(61, "The transaction version is not supported")
        self.deployed(ledger, one.sender)
        if one.hash in self.blocks.sent:
            raise Refusal(59, "A transaction with the same hash already exists in the mempool")
        self.affordable(one, ledger)
        expected = ledger.nonces.get(one.sender, 0)
        if one.nonce < expected:
            words = f"Account nonce: {expected:#x}; got: {one.nonce:#x}."
            raise Refusal(52, "Invalid transaction nonce", words)
        self.validate(one, ledger)
        self.replace(one)
        self.blocks.sent[one.hash] = one
        self.blocks.waiting.append(one)
        return {"transaction_hash": hex(one.hash)}

    def affordable(self, one, ledger):
        amounts = one.bounds
        if amounts["l2_gas"][0] == 0 or amounts["l2_gas"][1] < L2_PRICE // 2:
            words = "The transaction's resources don't cover validation or the minimal fee"
            raise Refusal(53, words)
        most = sum(amount * dear for amount, dear in amounts.values())
        most += amounts["l2_gas"][0] * one.tip
        if ledger.units(self.blocks.fee_token, one.sender) < most:
            raise Refusal(
                54,
                "Account balance is smaller than the transaction's maximal fee (calculated as the "
                "sum of each resource's limit x max price)",
            )

    def validate(self, one, ledger):
        context = sending(one.sender, one.hash, one.signature, one.nonce, validating=True)
        ran = run(
            ledger.copy(), self.blocks.general, one.sender, VALIDATE, one.calldata, context=context
        )
        if ran.words:
            raise Refusal(55, "Account validation failed", ran.words)

    def replace(self, one):
        """What waits with the same nonce makes room for one that offers a tenth more."""
        for other in self.blocks.waiting:
            if (other.sender, other.nonce) != (one.sender, one.nonce):
                continue
            dear = [w.bounds["l2_gas"][1] for w in (other, one)]
            if one.tip * 10 < other.tip * 11 or dear[1] * 10 < dear[0] * 11:
                words = "Transaction with this nonce is in the mempool already."
                raise Refusal(52, "Invalid transaction nonce", words)
            self.blocks.waiting.remove(other)
            self.blocks.sent.pop(other.hash)
            return

    def starknet_estimateFee(self, request, simulation_flags, block_id):
        ledger, answers = self.at(block_id).ledger.copy(), []
        for at, sent in enumerate(request):
            one = self.read(sent)
            self.deployed(ledger, one.sender)
            if "SKIP_VALIDATE" not in simulation_flags:
                self.validate(one, ledger)
            ran, estimate = self.executed(one, ledger)
            if ran.words:
                self.fails(at, ran.words)
            answers.append(estimate)
        return answers

    def starknet_simulateTransactions(self, block_id, transactions, simulation_flags):
        """A call that reverts is no error: its trace says why."""
        ledger, answers = self.at(block_id).ledger.copy(), []
        for at, sent in enumerate(transactions):
            one = self.read(sent)
            self.deployed(ledger, one.sender)
            expected = ledger.nonces.get(one.sender, 0)
            if one.nonce != expected:
                self.fails(at, f"Invalid transaction nonce. Expected: {expected}; got: {one.nonce}")
            if "SKIP_VALIDATE" not in simulation_flags:
                self.validate(one, ledger)
            if "SKIP_FEE_CHARGE" not in simulation_flags:
                self.affordable(one, ledger)
            ledger.increment_nonce(None, one.sender)
            ran, estimate = self.executed(one, ledger)
            invocation = {"contract_address": hex(one.sender), "result": told(ran.retdata)}
            if ran.words:
                invocation = {"revert_reason": ran.words}
            trace = {"type": "INVOKE", "execute_invocation": invocation}
            answers.append({"transaction_trace": trace, "fee_estimation": estimate})
        return answers

    def fails(self, at, words):
        problem = {"transaction_index": at, "execution_error": words}
        raise Refusal(41, "Transaction execution error", problem)

    def executed(self, one, ledger):
        """What a transaction comes to after what else the ledger holds, and what it would cost."""
        mark = ledger.mark()
        context = sending(one.sender, one.hash, one.signature, one.nonce)
        ran = run(ledger, self.blocks.general, one.sender, EXECUTE, one.calldata, context=context)
        gas = used(ran.steps, ledger.written(mark))
        return ran, {
            "l1_gas_consumed": hex(gas["l1_gas"]),
            "l1_gas_price": hex(L1_PRICE),
            "l2_gas_consumed": hex(gas["l2_gas"]),
            "l2_gas_price": hex(L2_PRICE),
            "l1_data_gas_consumed": hex(gas["l1_data_gas"]),
            "l1_data_gas_price": hex(DATA_PRICE),
            "overall_fee": hex(fee_of(gas, one.tip)),
            "unit": "FRI",
        }

    def known(self, transaction_hash):
        """A transaction, and the block it is in."""
        tx_hash = felt(transaction_hash)
        if tx_hash not in self.blocks.sent:
            raise Refusal(29, "Transaction hash not found")
        block, pending = self.blocks.mined.get(tx_hash), self.blocks.pending
        if block is None and pending is not None and tx_hash in pending.receipts:
            block = pending
        return tx_hash, block

    def wire(self, tx_hash):
        return dict(self.blocks.sent[tx_hash].wire)

    def stage(self, block):
        return "PRE_CONFIRMED" if block is self.blocks.pending else self.blocks.finality(block)

    def starknet_getTransactionStatus(self, transaction_hash):
        tx_hash, block = self.known(transaction_hash)
        if block is None:
            return {"finality_status": "RECEIVED"}
        reason = block.receipts[tx_hash].reason
        made = {"finality_status": self.stage(block), **outcome(reason)}
        if reason:
            made["failure_reason"] = reason
        return made

    def starknet_getTransactionReceipt(self, transaction_hash):
        tx_hash, block = self.known(transaction_hash)
        if block is None:
            raise Refusal(29, "Transaction hash not found")
        return self.receipt(tx_hash, block)

    def receipt(self, tx_hash, block):
        found = block.receipts[tx_hash]
        made = {
            "type": "INVOKE",
            "transaction_hash": hex(tx_hash),
            "actual_fee": {"amount": hex(found.fee), "unit": "FRI"},
            "finality_status": self.stage(block),
            "messages_sent": [],
            "events": [event_told(event) for event in found.events],
            "execution_resources": found.gas,
            **outcome(found.reason),
        }
        if block is not self.blocks.pending:
            made["block_hash"] = hex(block.hash)
        made["block_number"] = block.number
        return {**made, "revert_reason": found.reason} if found.reason else made

    def starknet_getTransactionByHash(self, transaction_hash):
        tx_hash, _ = self.known(transaction_hash)
        return self.wire(tx_hash)

    def starknet_getEvents(self, filter):
        chunk, keys = filter["chunk_size"], filter.get("keys") or []
        if chunk > CHUNK:
            raise Refusal(31, "Requested page size is too big")
        if sum(map(len, keys)) > KEYS:
            raise Refusal(34, "Too many keys provided in a filter")
        first = self.at(filter.get("from_block", {"block_number": 0})).number
        last = self.at(filter.get("to_block", "latest"))
        wanted = [set(felts(alternatives)) for alternatives in keys]
        addresses = filter.get("address") or []
        only = set(felts([addresses] if isinstance(addresses, str) else addresses))
        found = list(self.matching(first, last, wanted, only))
        try:
            start = int(filter.get("continuation_token") or 0)
        except ValueError:
            raise Refusal(33, "The supplied continuation token is invalid or unknown") from None
        made = {"events": found[start : start + chunk]}
        if start + chunk < len(found):
            made["continuation_token"] = str(start + chunk)
        return made

    def matching(self, first, last, wanted, only):
        blocks = self.blocks.blocks[first : last.number + 1]
        for block in blocks + ([last] if last is self.blocks.pending else []):
            place = {"block_number": block.number}
            if block is not self.blocks.pending:
                place["block_hash"] = hex(block.hash)
            for tx_index, (tx_hash, receipt) in enumerate(block.receipts.items()):
                for index, event in enumerate(receipt.events):
                    if fits(event, wanted, only):
                        yield {
                            **event_told(event),
                            **place,
                            "transaction_hash": hex(tx_hash),
                            "transaction_index": tx_index,
                            "event_index": index,
                        }
