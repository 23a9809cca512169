"""Links the one object file that clang makes of the program into what Solana's loader takes.

A shared object of sBPF version 0 in which every address is an offset in the file: text, constants,
and by name the system calls that the loader fills in. The same object gives the same bytes.
"""

import struct
import sys
from dataclasses import dataclass
from pathlib import Path

CONSTANTS_AT = 0x1_0000_0000
"""Where a running program finds its file's first byte."""
_PROGBITS, _SYMTAB, _STRTAB, _REL, _NOBITS = 1, 2, 3, 9, 8
_WRITABLE, _ALLOCATED, _EXECUTABLE = 1, 2, 4
_LDDW, _CALL, _BY_VALUE, _BY_NAME = 0x18, 0x85, 1, 10
_EHDR, _PHDR, _SHDR, _SYM, _RELOCATION = 64, 56, 64, 24, 16


@dataclass(frozen=True)
class Section:
    name: str
    kind: int
    flags: int
    data: bytes
    link: int
    about: int


@dataclass(frozen=True)
class Symbol:
    name: str
    section: int
    value: int


class Refused(ValueError):
    """The object holds what a program cannot have."""


def link(obj: bytes) -> bytes:
    """The program. Raises `Refused` of writable data, pointers in constants, or parts unknown."""
    sections = _sections(obj)
    symbols = _symbols(sections)
    text = _one_text(sections)
    code = bytearray(sections[text].data)
    places, constants = _constants(sections, _EHDR + 3 * _PHDR + len(code))
    calls: list[tuple[int, str]] = []
    for relocated in (s for s in sections if s.kind == _REL):
        if relocated.about != text:
            raise Refused(f"{relocated.name}: constants that hold addresses")
        for place, info in struct.iter_unpack("<QQ", relocated.data):
            symbol = symbols[info >> 32]
            if info & 0xFFFFFFFF == _BY_VALUE:
                _put_address(code, place, symbol, places)
            elif info & 0xFFFFFFFF == _BY_NAME and symbol.section == 0:
                _put_call(code, place)
                calls.append((place, symbol.name))
            else:
                raise Refused(f"a relocation of type {info & 0xFFFFFFFF} to {symbol.name}")
    entry = next(s.value for s in symbols if s.name == "entrypoint")
    return _file(bytes(code), constants, calls, entry)


def _sections(obj: bytes) -> list[Section]:
    at, size, count, names = (
        *struct.unpack_from("<Q", obj, 40), *struct.unpack_from("<HHH", obj, 58),
    )  # fmt: skip
    heads = [struct.unpack_from("<IIQQQQIIQQ", obj, at + i * size) for i in range(count)]
    texts = obj[heads[names][4] :]
    return [
        Section(
            _text(texts, h[0]), h[1], h[2],
            b"" if h[1] == _NOBITS else obj[h[4] : h[4] + h[5]], h[6], h[7],
        )
        for h in heads
    ]  # fmt: skip


def _symbols(sections: list[Section]) -> list[Symbol]:
    table = next(s for s in sections if s.kind == _SYMTAB)
    names = sections[table.link].data
    return [
        Symbol(_text(names, name), section, value)
        for name, _, _, section, value, _ in struct.iter_unpack("<IBBHQQ", table.data)
    ]


def _text(names: bytes, at: int) -> str:
    return names[at : names.index(b"\0", at)].decode()


def _one_text(sections: list[Section]) -> int:
    found = [i for i, s in enumerate(sections) if s.flags & _EXECUTABLE]
    for one in sections:
        if one.flags & _ALLOCATED and (one.flags & _WRITABLE or one.kind == _NOBITS):
            raise Refused(f"{one.name}: a program has no memory of its own that it can write")
    if len(found) != 1:
        raise Refused(f"{len(found)} sections of code")
    return found[0]


def _constants(sections: list[Section], at: int) -> tuple[dict[int, int], bytes]:
    """Where in the file each section of constants begins, and all of them."""
    places: dict[int, int] = {}
    data = b""
    for index, one in enumerate(sections):
        if one.kind == _PROGBITS and one.flags & (_ALLOCATED | _EXECUTABLE) == _ALLOCATED:
            places[index] = at + len(data)
            data += _padded(one.data)
    return places, data


def _put_address(code: bytearray, place: int, symbol: Symbol, places: dict[int, int]) -> None:
    if code[place] != _LDDW or symbol.section not in places:
        raise Refused(f"the address of {symbol.name} is no constant's")
    (offset,) = struct.unpack_from("<I", code, place + 4)
    address = CONSTANTS_AT + places[symbol.section] + symbol.value + offset
    struct.pack_into("<I", code, place + 4, address & 0xFFFFFFFF)
    struct.pack_into("<I", code, place + 12, address >> 32)


def _put_call(code: bytearray, place: int) -> None:
    if code[place] != _CALL:
        raise Refused("a system call that is not called")
    struct.pack_into("<i", code, place + 4, -1)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 8)


def _file(code: bytes, constants: bytes, calls: list[tuple[int, str]], entry: int) -> bytes:
    names = sorted({name for _, name in calls})
    dynstr = b"\0" + b"".join(name.encode() + b"\0" for name in names)
    name_at = {name: dynstr.index(b"\0" + name.encode() + b"\0") + 1 for name in names}
    dynsym = bytes(_SYM) + b"".join(
        struct.pack("<IBBHQQ", name_at[name], 0x10, 0, 0, 0, 0) for name in names
    )
    code_at = _EHDR + 3 * _PHDR
    rel = b"".join(
        struct.pack("<QQ", code_at + place, (1 + names.index(name)) << 32 | _BY_NAME)
        for place, name in calls
    )
    constants_at = code_at + len(code)
    dynamic_at = constants_at + len(constants)
    dynsym_at = dynamic_at + 7 * 16
    dynstr_at = dynsym_at + len(dynsym)
    rel_at = dynstr_at + len(_padded(dynstr))
    names_at = rel_at + len(rel)
    tags = ((17, rel_at), (18, len(rel)), (19, _RELOCATION), (6, dynsym_at),
            (5, dynstr_at), (10, len(dynstr)), (0, 0))  # fmt: skip
    dynamic = b"".join(struct.pack("<QQ", *tag) for tag in tags)
    parts = (
        (".text", 1, 6, code_at, code, 0, 0),
        (".rodata", 1, 2, constants_at, constants, 0, 0),
        (".dynamic", 6, 3, dynamic_at, dynamic, 5, 16),
        (".dynsym", 11, 2, dynsym_at, dynsym, 5, _SYM),
        (".dynstr", 3, 2, dynstr_at, dynstr, 0, 0),
        (".rel.dyn", 9, 2, rel_at, rel, 4, _RELOCATION),
    )
    texts = b"\0" + b"".join(part[0].encode() + b"\0" for part in parts) + b".shstrtab\0"
    heads = [bytes(_SHDR)]
    for name, kind, flags, at, data, to, each in parts:
        heads.append(
            _head(texts, name, kind, (flags, at, at, len(data), to, int(kind == 11), each))
        )
    heads.append(_head(texts, ".shstrtab", 3, (0, 0, names_at, len(texts), 0, 0, 0)))
    loads = (
        _load(1, 5, code_at, len(code)),
        _load(1, 4, constants_at, names_at - constants_at),
        _load(2, 6, dynamic_at, len(dynamic)),
    )
    heads_at = names_at + len(_padded(texts))
    top = struct.pack(
        "<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01", 3, 247, 1, code_at + entry, _EHDR, heads_at,
        0, _EHDR, _PHDR, len(loads), _SHDR, len(heads), len(heads) - 1,
    )  # fmt: skip
    body = (code, constants, dynamic, dynsym, _padded(dynstr), rel, _padded(texts), *heads)
    return top + b"".join(loads) + b"".join(body)


def _head(texts: bytes, name: str, kind: int, rest: tuple[int, ...]) -> bytes:
    flags, address, at, size, to, about, each = rest
    place = texts.index(b"\0" + name.encode() + b"\0") + 1
    return struct.pack("<IIQQQQIIQQ", place, kind, flags, address, at, size, to, about, 8, each)


def _load(kind: int, flags: int, at: int, size: int) -> bytes:
    return struct.pack("<IIQQQQQQ", kind, flags, at, at, at, size, size, 8)


if __name__ == "__main__":
    Path(sys.argv[2]).write_bytes(link(Path(sys.argv[1]).read_bytes()))
