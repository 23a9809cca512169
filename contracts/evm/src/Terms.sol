// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// What an intent says about its source chain. An address of another family is a word that
/// `address` cannot hold; then its deposit address does not lie on a chain of this kind either.
struct Source {
    uint256 chain; // The chain's word: its chain id.
    uint256 nonce;
    address token; // Zero is the native coin.
    uint256 total; // What start pays to `bridger`, exactly.
    address bridger;
    address refundTo;
    address coordinator;
    uint256 expiry; // In seconds. Start before, refund from then on.
}

/// The names of intents: hashes of their terms, the same on every chain.
library Terms {
    /// keccak256(sourceHash, destHash): the intent's key and the salt of its deposit address.
    function keyOf(Source calldata source, bytes32 destHash) internal pure returns (bytes32) {
        return join(keccak256(abi.encode(source)), destHash);
    }

    /// The terms of the destination chain, this one.
    function destHashOf(address token, address recipient, uint256 amount)
        internal
        view
        returns (bytes32)
    {
        return keccak256(abi.encode(block.chainid, token, recipient, amount));
    }

    function join(bytes32 sourceHash, bytes32 destHash) internal pure returns (bytes32) {
        return keccak256(abi.encodePacked(sourceHash, destHash));
    }
}
