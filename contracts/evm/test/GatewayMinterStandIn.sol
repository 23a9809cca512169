// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {GatewayCommonStandIn, IToken, TransferSpec} from "./GatewayFormats.sol";

/// GatewayMinter: mints what Circle's service attests to.
contract GatewayMinterStandIn is GatewayCommonStandIn {
    address public wallet;
    mapping(address => bool) public isAttestationSigner;

    event AttestationUsed(
        address indexed token,
        address indexed recipient,
        bytes32 indexed transferSpecHash,
        uint32 sourceDomain,
        bytes32 sourceDepositor,
        bytes32 sourceSigner,
        uint256 value
    );

    error InvalidAttestationSigner();
    error AttestationExpiredAtIndex(uint32 index, uint256 maxBlockHeight, uint256 currentBlock);
    error AttestationValueMustBePositiveAtIndex(uint32 index);
    error InvalidAttestationDestinationCallerAtIndex(uint32 index, address caller, address actual);
    error InvalidAttestationDestinationDomainAtIndex(uint32 index, uint32 named, uint32 expected);
    error InvalidAttestationDestinationContractAtIndex(
        uint32 index, address named, address expected
    );
    error UnsupportedTokenAtIndex(uint32 index, address destinationToken);

    function initialize(uint32 domain_, address usdc_, address wallet_, address signer) external {
        (domain, usdc, wallet) = (domain_, usdc_, wallet_);
        isAttestationSigner[signer] = true;
    }

    function setAttestationSigner(address signer, bool enabled) external {
        isAttestationSigner[signer] = enabled;
    }

    function gatewayMint(bytes calldata attestation, bytes calldata signature)
        external
        whenNotPaused
        notDenylisted(msg.sender)
    {
        bytes32 digest = keccak256(
            abi.encodePacked("\x19Ethereum Signed Message:\n32", keccak256(attestation))
        );
        address signer = _recover(digest, signature);
        if (signer == address(0) || !isAttestationSigner[signer]) {
            revert InvalidAttestationSigner();
        }
        if (attestation.length < 40 || bytes4(attestation[0:4]) != ATTESTATION_MAGIC) {
            revert MalformedPayload();
        }
        if (uint32(bytes4(attestation[36:40])) != attestation.length - 40) {
            revert MalformedPayload();
        }
        uint256 maxBlockHeight = uint256(bytes32(attestation[4:36]));
        if (maxBlockHeight < block.number) {
            revert AttestationExpiredAtIndex(0, maxBlockHeight, block.number);
        }
        TransferSpec memory spec = _parse(attestation[40:]);
        _validate(spec);
        _mint(spec, keccak256(attestation[40:]));
    }

    function _validate(TransferSpec memory spec) private view {
        if (spec.value == 0) revert AttestationValueMustBePositiveAtIndex(0);
        address recipient = _address(spec.destinationRecipient);
        if (isDenylisted[recipient]) revert AccountDenylisted(recipient);
        address caller = _address(spec.destinationCaller);
        if (caller != address(0) && caller != msg.sender) {
            revert InvalidAttestationDestinationCallerAtIndex(0, caller, msg.sender);
        }
        if (spec.destinationDomain != domain) {
            revert InvalidAttestationDestinationDomainAtIndex(0, spec.destinationDomain, domain);
        }
        address named = _address(spec.destinationContract);
        if (named != address(this)) {
            revert InvalidAttestationDestinationContractAtIndex(0, named, address(this));
        }
        address token = _address(spec.destinationToken);
        if (token != usdc) revert UnsupportedTokenAtIndex(0, token);
    }

    function _mint(TransferSpec memory spec, bytes32 specHash) private {
        _use(specHash);
        (address token, address recipient) =
            (_address(spec.destinationToken), _address(spec.destinationRecipient));
        IToken(token).mint(recipient, spec.value);
        emit AttestationUsed(
            token,
            recipient,
            specHash,
            spec.sourceDomain,
            spec.sourceDepositor,
            spec.sourceSigner,
            spec.value
        );
    }
}
