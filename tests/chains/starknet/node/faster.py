"""What makes the executor faster: it proves nothing here, and does the same things each time."""

from functools import lru_cache

from starkware.cairo.common import structs
from starkware.cairo.common.cairo_function_runner import CairoFunctionRunner
from starkware.cairo.lang.vm import virtual_machine_base, vm_core
from starkware.cairo.lang.vm.cairo_runner import CairoRunner
from starkware.cairo.lang.vm.memory_segments import MemorySegmentManager
from starkware.cairo.lang.vm.relocatable import RelocatableValue
from starkware.cairo.lang.vm.validated_memory_dict import ValidatedMemoryDict

_run, _build = CairoFunctionRunner.run_from_entrypoint, structs.CairoStructFactory.build_struct
_built, _loaded = {}, {}


def _without_proof(self, *args, **named):
    """What these checks find is a faulty compiler, which a test of contracts is not about."""
    return _run(self, *args, **{**named, "verify_secure": False})


def _once(self, name):
    """The same struct of the same program; the program is kept, so that its id stays its own."""
    key = (id(self.identifiers), name)
    if key not in _built:
        _built[key] = (self.identifiers, _build(self, name))
    return _built[key][1]


def _load(self, entrypoint, stack):
    """The cells of a program are made once; copying a dict does not hash its keys again."""
    base, data = self.program_base, self.program.data
    self.initial_pc = base + self._to_pc(entrypoint)
    key = (id(data), base.segment_index)
    if key not in _loaded:
        _loaded[key] = (data, {base + at: cell for at, cell in enumerate(data)})
    self.memory.data.update(_loaded[key][1])
    self.load_data(self.execution_base, stack)


def _sizes(self, allow_tmp_segments=False):
    """The used size of each segment."""
    if self._segment_used_sizes is not None:
        return
    first = -self.n_temp_segments if allow_tmp_segments else 0
    self._segment_used_sizes = sizes = dict.fromkeys(range(first, self.n_segments), 0)
    for cell in self.memory.data:
        if cell.offset >= sizes[cell.segment_index]:
            sizes[cell.segment_index] = cell.offset + 1


def _make(self, segment_index, offset):
    self.segment_index = segment_index
    self.offset = offset


def _equal(self, other):
    if other.__class__ is not RelocatableValue:
        return NotImplemented
    return self.offset == other.offset and self.segment_index == other.segment_index


def _add(self, other):
    if not isinstance(other, int):
        return NotImplemented
    return RelocatableValue(self.segment_index, self.offset + other)


def _remainder(self, other):
    if 0 <= self.offset < other:
        return self
    return RelocatableValue(self.segment_index, self.offset % other)


CairoFunctionRunner.run_from_entrypoint = _without_proof
structs.CairoStructFactory.build_struct = _once
virtual_machine_base.compile = lru_cache(maxsize=None)(compile)
CairoRunner.initialize_state = _load
# Of no use without a proof: cells that nobody reads, and rules for segments that are still empty.
vm_core.range = lambda program_length: ()  # used there once, to list a program's cells
CairoRunner.get_memory_holes = lambda self: 0
ValidatedMemoryDict.validate_existing_memory = lambda self: None
MemorySegmentManager.compute_effective_sizes = _sizes
# An address is made for every operand. Nothing changes one, frozen or not.
del RelocatableValue.__setattr__
RelocatableValue.__init__ = _make
RelocatableValue.__eq__ = _equal
RelocatableValue.__hash__ = lambda self: self.segment_index << 48 ^ self.offset
RelocatableValue.__add__ = _add
RelocatableValue.__mod__ = _remainder
