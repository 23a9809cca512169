// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// What the contracts that move funds share: the event, common errors and the reentrancy guard.
abstract contract SettlementBase {
    /// Values of `kind` in `TokensMoved`.
    uint8 internal constant START = 1;
    uint8 internal constant EXCESS = 2;
    uint8 internal constant REFUND = 3;
    uint8 internal constant FILL = 4;
    uint8 internal constant SETTLE = 5;
    uint8 internal constant WITHDRAW = 6;
    uint8 internal constant SEND = 7;
    uint8 internal constant GIVE_BACK = 8;
    uint8 internal constant REPAY = 9;
    uint8 internal constant RELEASE = 10;
    uint8 internal constant SWAP = 11;
    uint8 internal constant CHANGE = 12;

    /// A transfer of tokens or native coins; these contracts make none without this event. `caller`
    /// is the account that called the contract; `intentHash` is zero only for WITHDRAW.
    event TokensMoved(
        bytes32 indexed intentHash,
        address indexed caller,
        uint8 indexed kind,
        address token,
        address from,
        address to,
        uint256 amount
    );

    error ReentrantCall();
    error TransferFailed(address to);
    error ReceivedLess(address to);
    error NotAuthorized();
    error WrongChain();
    error NothingToTransfer();
    error InvalidTerms();

    uint256 private constant UNLOCKED = 1;
    uint256 private constant LOCKED = 2;
    uint256 private _lock = UNLOCKED;

    /// Receivers and tokens cannot call back into the same contract during the call.
    modifier nonReentrant() {
        if (_lock != UNLOCKED) revert ReentrantCall();
        _lock = LOCKED;
        _;
        _lock = UNLOCKED;
    }
}
