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

    error MustHaveAtLeastOneAttestation();
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
        if (attestation.length < 8 || bytes4(attestation[0:4]) != SET_MAGIC) {
            if (_mintOne(attestation, 0) != attestation.length) revert MalformedPayload();
            return;
        }
        uint32 count = uint32(bytes4(attestation[4:8]));
        if (count == 0) revert MustHaveAtLeastOneAttestation();
        uint256 place = 8;
        for (uint32 i = 0; i < count; ++i) place += _mintOne(attestation[place:], i);
        if (place != attestation.length) revert MalformedPayload();
    }

    /// Mint by the attestation at the beginning of these data; returns its length.
    function _mintOne(bytes calldata data, uint32 index) private returns (uint256 length) {
        if (data.length < 40 || bytes4(data[0:4]) != ATTESTATION_MAGIC) revert MalformedPayload();
        length = 40 + uint32(bytes4(data[36:40]));
        if (data.length < length) revert MalformedPayload();
        uint256 maxBlockHeight = uint256(bytes32(data[4:36]));
        if (maxBlockHeight < block.number) {
            revert AttestationExpiredAtIndex(index, maxBlockHeight, block.number);
        }
        TransferSpec memory spec = _parse(data[40:length]);
        _validate(spec, index);
        _mint(spec, keccak256(data[40:length]));
    }

    function _validate(TransferSpec memory spec, uint32 index) private view {
        if (spec.value == 0) revert AttestationValueMustBePositiveAtIndex(index);
        address recipient = _address(spec.destinationRecipient);
        if (isDenylisted[recipient]) revert AccountDenylisted(recipient);
        address caller = _address(spec.destinationCaller);
        if (caller != address(0) && caller != msg.sender) {
            revert InvalidAttestationDestinationCallerAtIndex(index, caller, msg.sender);
        }
        if (spec.destinationDomain != domain) {
            revert InvalidAttestationDestinationDomainAtIndex(
                index, spec.destinationDomain, domain
            );
        }
        address named = _address(spec.destinationContract);
        if (named != address(this)) {
            revert InvalidAttestationDestinationContractAtIndex(index, named, address(this));
        }
        address token = _address(spec.destinationToken);
        if (token != usdc) revert UnsupportedTokenAtIndex(index, token);
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
