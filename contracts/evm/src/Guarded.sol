// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// What the contracts that hold or move money have in common.
abstract contract Guarded {
    /// Why money moved, in `Moved`.
    uint8 internal constant START = 1;
    uint8 internal constant EXCESS = 2;
    uint8 internal constant REFUND = 3;
    uint8 internal constant FILL = 4;
    uint8 internal constant SETTLE = 5;
    uint8 internal constant WITHDRAW = 6;

    /// One movement; no contract of Crossway moves money without one. `caller` sent the
    /// transaction's call, `key` is zero only for WITHDRAW.
    event Moved(
        bytes32 indexed key,
        address indexed caller,
        uint8 indexed why,
        address token,
        address from,
        address to,
        uint256 units
    );

    error Entered();
    error Refused(address to);
    error ReceivedLess(address to);
    error NotAllowed();
    error WrongChain();
    error NothingLeft();
    error BadTerms();

    uint256 private _entered = 1;

    /// Nobody who is paid can call back into the same contract meanwhile.
    modifier guarded() {
        if (_entered != 1) revert Entered();
        _entered = 2;
        _;
        _entered = 1;
    }
}
