// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Moving TRX and TRC-20 tokens, whatever a token answers: as on EVM chains, but that a transfer
/// which is answered with false counts where the money left.
library Money {
    /// The address that stands for the native coin.
    address internal constant NATIVE = address(0);
    /// The most gas that a receiver of the native coin can use up: enough for any wallet, and no
    /// receiver decides how dear our transaction becomes.
    uint256 internal constant RECEIVE_GAS = 300_000;
    /// Asks for all the gas that a call can be given.
    uint256 internal constant ALL_GAS = type(uint256).max;

    error BalanceUnknown(address token);

    /// What an address holds; reverts where the token does not say.
    function held(address token, address owner) internal view returns (uint256 units) {
        if (token == NATIVE) return owner.balance;
        bool ok;
        bytes memory data = abi.encodeWithSelector(0x70a08231, owner); // balanceOf(address)
        assembly ("memory-safe") {
            ok := staticcall(gas(), token, add(data, 32), mload(data), 0, 32)
            ok := and(ok, gt(returndatasize(), 31))
            units := mload(0)
        }
        if (!ok) revert BalanceUnknown(token);
    }

    /// Send from the calling contract; false when it was refused, and then nothing moved.
    function send(address token, address to, uint256 units, uint256 gasLimit)
        internal
        returns (bool ok)
    {
        if (token != NATIVE) {
            uint256 before = held(token, address(this));
            ok = _call(token, abi.encodeWithSelector(0xa9059cbb, to, units), gasLimit); // transfer
            if (ok || units == 0 || units > before) return ok;
            // Tron's USDT answers false to every transfer: what left tells whether it was refused.
            return held(token, address(this)) == before - units;
        }
        uint256 most = gasLimit < RECEIVE_GAS ? gasLimit : RECEIVE_GAS;
        assembly ("memory-safe") {
            ok := call(most, to, units, 0, 0, 0, 0)
        }
    }

    /// Take a token by allowance; false when it was refused, and then nothing moved.
    function pull(address token, address from, address to, uint256 units)
        internal
        returns (bool ok)
    {
        return _call(token, abi.encodeWithSelector(0x23b872dd, from, to, units), ALL_GAS);
    }

    /// A call that worked unless it reverted, answered false, or met no contract. At most one word
    /// of the answer is copied, so that a long one costs us nothing.
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
