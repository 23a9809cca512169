// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Plain} from "./tokens.sol";

// Dollars that their holder's signature moves (EIP-3009), with the rules of Circle's contract.
contract Signed is Plain {
    bytes32 private constant DOMAIN = keccak256(
        "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
    );
    bytes32 private constant TRANSFER = keccak256(
        "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 private constant CANCEL =
        keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");
    uint256 private constant HIGHEST_S =
        0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0;
    string public constant version = "2";

    mapping(address => mapping(bytes32 => bool)) public authorizationState;

    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
    event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);

    function name() public pure virtual returns (string memory) {
        return "USD Coin";
    }

    function DOMAIN_SEPARATOR() public view virtual returns (bytes32) {
        return _separator(name());
    }

    function _separator(string memory signed) internal view returns (bytes32) {
        return keccak256(
            abi.encode(
                DOMAIN,
                keccak256(bytes(signed)),
                keccak256(bytes(version)),
                block.chainid,
                address(this)
            )
        );
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        require(block.timestamp > validAfter, "authorization is not yet valid");
        require(block.timestamp < validBefore, "authorization is expired");
        bytes32 content =
            keccak256(abi.encode(TRANSFER, from, to, value, validAfter, validBefore, nonce));
        _use(from, nonce, content, v, r, s);
        emit AuthorizationUsed(from, nonce);
        _move(from, to, value);
    }

    function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)
        external
    {
        _use(authorizer, nonce, keccak256(abi.encode(CANCEL, authorizer, nonce)), v, r, s);
        emit AuthorizationCanceled(authorizer, nonce);
    }

    function _use(address from, bytes32 nonce, bytes32 content, uint8 v, bytes32 r, bytes32 s)
        private
    {
        require(!authorizationState[from][nonce], "authorization is used or canceled");
        require(uint256(s) <= HIGHEST_S, "invalid s");
        bytes32 digest = keccak256(abi.encodePacked("\x19\x01", DOMAIN_SEPARATOR(), content));
        require(from != address(0) && ecrecover(digest, v, r, s) == from, "invalid signature");
        authorizationState[from][nonce] = true;
    }
}

// Says one name, and signs under another.
contract OtherDomain is Signed {
    function DOMAIN_SEPARATOR() public view override returns (bytes32) {
        return _separator("Bridged USDC");
    }
}
