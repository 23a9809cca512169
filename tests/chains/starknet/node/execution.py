"""Running entry points as Starknet does: a call that fails is undone, and its caller is told."""

from dataclasses import dataclass

from starkware.cairo.lang.vm.cairo_pie import ExecutionResourcesStone
from starkware.starknet.business_logic.execution.deprecated_objects import ExecutionResourcesManager
from starkware.starknet.business_logic.execution.execute_entry_point import ExecuteEntryPoint
from starkware.starknet.business_logic.execution.objects import (
    CallInfo,
    CallResult,
    CallType,
    TransactionExecutionContext,
)
from starkware.starknet.core.os.bl_syscall_handler import BusinessLogicSyscallHandler
from starkware.starknet.definitions.error_codes import StarknetErrorCode
from starkware.starknet.definitions.execution_mode import ExecutionMode
from starkware.starknet.definitions.general_config import StarknetGeneralConfig, StarknetOsConfig
from starkware.starknet.public.abi import get_selector_from_name
from starkware.starknet.services.api.contract_class.contract_class import EntryPointType
from starkware.starkware_utils.error_handling import StarkException

MAIN = int.from_bytes(b"SN_MAIN", "big")
SEQUENCER = 0x1176A1BD84444C89232EC27754698E5D2E7E1A7F1539F12027F28B23EC9F3D8
FAILED = int.from_bytes(b"ENTRYPOINT_FAILED", "big")
NO_ENTRY_POINT = int.from_bytes(b"ENTRYPOINT_NOT_FOUND", "big")
STEPS, GAS = 10_000_000, 10**12


def config(chain_id, fee_token):
    return StarknetGeneralConfig(
        starknet_os_config=StarknetOsConfig(chain_id=chain_id, fee_token_address=fee_token),
        sequencer_address=SEQUENCER,
    )


class Undoing(ExecuteEntryPoint):
    """An entry point whose failure undoes what it did, and only that."""

    def execute(
        self, state, resources_manager, tx_execution_context, general_config, support_reverted=False
    ):
        mark, events = state.mark(), tx_execution_context.n_emitted_events
        try:
            info = super().execute(
                state=state,
                resources_manager=resources_manager,
                tx_execution_context=tx_execution_context,
                general_config=general_config,
                support_reverted=True,
            )
        except StarkException as problem:
            if problem.code != StarknetErrorCode.ENTRY_POINT_NOT_FOUND_IN_CONTRACT:
                raise
            info = self._nothing(state)
        if info.failure_flag:
            state.undo(mark)
            tx_execution_context.n_emitted_events = events
        return info

    def _nothing(self, state):
        return CallInfo.create(
            caller_address=self.caller_address,
            call_type=self.call_type,
            contract_address=self.contract_address,
            code_address=None,
            class_hash=state.get_class_hash_at(self.contract_address),
            entry_point_selector=self.entry_point_selector,
            entry_point_type=self.entry_point_type,
            calldata=self.calldata,
            gas_consumed=0,
            failure_flag=1,
            retdata=[NO_ENTRY_POINT],
            execution_resources=ExecutionResourcesStone.empty(),
            events=[],
            l2_to_l1_messages=[],
            storage_read_values=[],
            accessed_storage_keys=set(),
            internal_calls=[],
            accessed_contract_addresses=set(),
            read_class_hash_values=[],
            accessed_blocks=set(),
            read_block_hash_values=[],
        )


def _telling_the_caller(self, call):
    info = call.execute(
        state=self.state,
        resources_manager=self.resources_manager,
        tx_execution_context=self.tx_execution_context,
        general_config=self.general_config,
        support_reverted=True,
    )
    self.internal_calls.append(info)
    result = info.result()
    if not info.failure_flag:
        return result
    return CallResult(
        gas_consumed=result.gas_consumed,
        failure_flag=result.failure_flag,
        retdata=[*result.retdata, FAILED],
    )


BusinessLogicSyscallHandler.execute_entry_point = _telling_the_caller


@dataclass
class Ran:
    """What running an entry point came to. `words` says why it failed."""

    retdata: list
    events: list  # (address, keys, data), in order
    steps: int
    words: str = ""


def run(state, general, address, selector, calldata, *, caller=0, context=None, constructor=False):
    """Call an entry point; where it fails, nothing of it stays in the state."""
    mark = state.mark()
    used = ExecutionResourcesManager.empty()
    entry = Undoing.create(
        contract_address=address,
        calldata=list(calldata),
        entry_point_selector=selector,
        caller_address=caller,
        initial_gas=GAS,
        entry_point_type=EntryPointType.CONSTRUCTOR if constructor else EntryPointType.EXTERNAL,
        call_type=CallType.Call,
    )
    context = context or sending(0, 0, [], 0)
    try:
        info = entry.execute(state, used, context, general)
    except StarkException as problem:
        state.undo(mark)
        return Ran([], [], used.cairo_usage.n_steps, str(problem.message)[-600:])
    steps = used.cairo_usage.n_steps
    if info.failure_flag:
        return Ran(list(info.retdata), [], steps, said(info))
    return Ran(list(info.retdata), in_order(info), steps)


def sending(account, tx_hash, signature, nonce, *, validating=False):
    """What contracts can ask about the transaction that calls them."""
    return TransactionExecutionContext.create(
        account_contract_address=account,
        transaction_hash=tx_hash,
        signature=list(signature),
        max_fee=0,
        nonce=nonce,
        n_steps=STEPS,
        version=3,
        execution_mode=ExecutionMode.VALIDATE if validating else ExecutionMode.EXECUTE,
    )


def in_order(info):
    """The events of a call and of the calls that it made, as they were emitted."""
    found = []

    def walk(one):
        if one.failure_flag:
            return
        found.extend(
            (e.order, one.contract_address, list(e.keys), list(e.data)) for e in one.events
        )
        for inner in one.internal_calls:
            walk(inner)

    walk(info)
    return [event[1:] for event in sorted(found, key=lambda event: event[0])]


def said(info):
    """A failure as nodes tell it: where it went through, and the felts it ended with."""
    lines, one = [], info
    while True:
        lines.append(
            f"Error in the called contract (contract address: {one.contract_address:#x}, "
            f"class hash: {one.class_hash or 0:#x}, selector: {one.entry_point_selector or 0:#x}):"
        )
        failing = [inner for inner in one.internal_calls if inner.failure_flag]
        if not failing:
            break
        one = failing[-1]
    told = ", ".join(felt_told(felt) for felt in info.retdata)
    numbered = "\n".join(f"{at}: {line}" for at, line in enumerate(lines))
    return f"Transaction execution error has occurred.\n{numbered}\nExecution failed. " + (
        f"Failure reason:\n({told}).\n"
    )


def felt_told(felt):
    """A felt and, where it is text, the text."""
    text = felt.to_bytes(32, "big").lstrip(b"\0")
    if text and all(32 <= byte < 127 for byte in text):
        return f"{felt:#x} ('{text.decode()}')"
    return f"{felt:#x}"


VALIDATE = get_selector_from_name("__validate__")
EXECUTE = get_selector_from_name("__execute__")
CONSTRUCTOR = get_selector_from_name("constructor")
