// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// The source chain's terms of an intent. An address of another chain family is a word that does
/// not fit into `address`; the deposit address of such an intent is not on an EVM chain either.
struct Source {
    uint256 chain; // The chain id; of other chain families, the keccak256 of the CAIP-2 name.
    uint256 nonce;
    address token; // Zero is the native coin.
    uint256 total; // The deposit amount: a start pays exactly this to `bridger`.
    address bridger; // The collecting account.
    address refundTo;
    address coordinator;
    uint256 expiry; // Unix time in seconds: start before, refund from then on.
}

/// The destination chain's terms of an intent.
struct Destination {
    uint256 chain;
    address token; // Zero is the native coin.
    address recipient;
    uint256 amount; // What the recipient is paid, exactly.
}

/// Intent hashes: the hash of an intent's terms, which is the same on every chain.
library Terms {
    /// The intent hash: identifies an intent and is the CREATE2 salt of its deposit address.
    function hashIntent(Source calldata source, bytes32 destHash) internal pure returns (bytes32) {
        return joinHashes(keccak256(abi.encode(source)), destHash);
    }

    /// The hash of the destination chain's terms, where that chain is this one.
    function hashDestination(address token, address recipient, uint256 amount)
        internal
        view
        returns (bytes32)
    {
        return keccak256(abi.encode(block.chainid, token, recipient, amount));
    }

    function joinHashes(bytes32 sourceHash, bytes32 destHash) internal pure returns (bytes32) {
        return keccak256(abi.encodePacked(sourceHash, destHash));
    }
}
