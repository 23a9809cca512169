// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Balances and transfers of native coins and ERC-20 tokens, whatever a token returns.
library Transfers {
    /// The address that stands for the native coin.
    address internal constant NATIVE = address(0);
    /// The gas limit of a receiver of native coins: enough for any wallet, and low enough that no
    /// receiver decides what a transaction costs.
    uint256 internal constant RECEIVE_GAS_LIMIT = 300_000;
    uint256 internal constant NO_GAS_LIMIT = type(uint256).max;

    // Selectors of balanceOf(address), transfer(address,uint256),
    // transferFrom(address,address,uint256) and approve(address,uint256).
    bytes4 private constant BALANCE_OF = 0x70a08231;
    bytes4 private constant TRANSFER = 0xa9059cbb;
    bytes4 private constant TRANSFER_FROM = 0x23b872dd;
    bytes4 private constant APPROVE = 0x095ea7b3;

    error BalanceUnknown(address token);

    /// The balance of an address; reverts if the token does not return one.
    function balanceOf(address token, address owner) internal view returns (uint256 result) {
        if (token == NATIVE) return owner.balance;
        bool ok;
        bytes memory data = abi.encodeWithSelector(BALANCE_OF, owner);
        assembly ("memory-safe") {
            ok := staticcall(gas(), token, add(data, 32), mload(data), 0, 32)
            ok := and(ok, gt(returndatasize(), 31))
            result := mload(0)
        }
        if (!ok) revert BalanceUnknown(token);
    }

    /// Transfer from the calling contract. Returns false if it failed; then nothing moved.
    function tryTransfer(address token, address to, uint256 amount, uint256 gasLimit)
        internal
        returns (bool ok)
    {
        if (token != NATIVE) {
            return _call(token, abi.encodeWithSelector(TRANSFER, to, amount), gasLimit);
        }
        uint256 receiveGas = gasLimit < RECEIVE_GAS_LIMIT ? gasLimit : RECEIVE_GAS_LIMIT;
        assembly ("memory-safe") {
            ok := call(receiveGas, to, amount, 0, 0, 0, 0)
        }
    }

    /// Transfer a token by allowance. Returns false if it failed; then nothing moved.
    function tryTransferFrom(address token, address from, address to, uint256 amount)
        internal
        returns (bool ok)
    {
        return _call(token, abi.encodeWithSelector(TRANSFER_FROM, from, to, amount), NO_GAS_LIMIT);
    }

    /// Allow `spender` to take exactly `amount` from the calling contract. Where the token refuses,
    /// an allowance that is left is revoked first, because some tokens require that. Returns false
    /// if it still refuses.
    function tryApprove(address token, address spender, uint256 amount)
        internal
        returns (bool ok)
    {
        bytes memory approve = abi.encodeWithSelector(APPROVE, spender, amount);
        bytes memory revoke = abi.encodeWithSelector(APPROVE, spender, 0);
        if (_call(token, approve, NO_GAS_LIMIT)) return true;
        return _call(token, revoke, NO_GAS_LIMIT) && _call(token, approve, NO_GAS_LIMIT);
    }

    /// A call succeeds unless it reverts, returns false, or there is no contract. At most one word
    /// of the return data is copied, so long return data costs nothing.
    function _call(address token, bytes memory data, uint256 gasLimit) private returns (bool ok) {
        assembly ("memory-safe") {
            mstore(0, 0)
            ok := call(gasLimit, token, 0, add(data, 32), mload(data), 0, 32)
            switch returndatasize()
            case 0 { ok := and(ok, gt(extcodesize(token), 0)) }
            default { ok := and(ok, and(gt(returndatasize(), 31), eq(mload(0), 1))) }
        }
    }
}
