// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Makes several calls in one transaction, each with a fixed amount of gas, so that one that fails
/// takes none of the others along. It holds nothing and has no rights: what it can call, anyone can.
/// Its own success says nothing of any call: the contracts that were called report what they did.
contract CallBatch {
    struct Item {
        address to;
        uint256 gas;
        bytes data;
    }

    /// Make the calls in order. The calls for which the gas is not left are not made.
    function run(Item[] calldata items) external {
        for (uint256 i = 0; i < items.length; ++i) {
            // A call gets at most 63/64 of what is left; with less than its own it is not made, as
            // some contracts take a call that ran dry for a refusal.
            if (gasleft() * 63 / 64 < items[i].gas + 10_000) return;
            _call(items[i].to, items[i].gas, items[i].data);
        }
    }

    /// What the call returns is not copied: it could use up the gas of the others.
    function _call(address to, uint256 gasLimit, bytes memory data) private {
        assembly ("memory-safe") {
            pop(call(gasLimit, to, 0, add(data, 32), mload(data), 0, 0))
        }
    }
}
