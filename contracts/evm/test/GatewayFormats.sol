// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

// Stand-ins of Circle Gateway for tests, written from Circle's documentation: the packed formats,
// the events, the order of the checks and the names of the errors are those of the real contracts.
// What GatewayWalletStandIn.sol and GatewayMinterStandIn.sol share. Nothing is access controlled: a
// test is the owner, the pauser and every other role. Sets of several attestations are there, sets
// of intents are not: Circle's service takes several intents that are signed one by one.
//
// No constructor, no immutables: their runtime code works at any address (`vm.etch` of forge,
// `anvil_setCode` of anvil) once it was initialized. `initialize` may be called again.
//   1. `UsdcStandIn` (UsdcStandIn.sol) at the chain's USDC address.
//   2. `GatewayWalletStandIn` at Circle's GatewayWallet address:
//      initialize(uint32 domain, address usdc, uint256 withdrawalDelay, address feeRecipient);
//      the delay in blocks, Circle's is about seven days
//   3. `GatewayMinterStandIn` at Circle's GatewayMinter address:
//      initialize(uint32 domain, address usdc, address wallet, address attestationSigner)
// Switches: pause(), unpause(), denylist(address), unDenylist(address) of both;
// setAttestationSigner(address,bool) of the minter.
//
// The service of a test signs attestations: 65 bytes (r, s, v = 27 or 28) over the keccak256 of
// the packed attestation with Ethereum's prefix for signed messages.

interface IToken {
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function mint(address to, uint256 amount) external returns (bool);
    function burn(uint256 amount) external;
}

struct TransferSpec {
    uint32 version;
    uint32 sourceDomain;
    uint32 destinationDomain;
    bytes32 sourceContract;
    bytes32 destinationContract;
    bytes32 sourceToken;
    bytes32 destinationToken;
    bytes32 sourceDepositor;
    bytes32 destinationRecipient;
    bytes32 sourceSigner;
    bytes32 destinationCaller;
    uint256 value;
    bytes32 salt;
    bytes hookData;
}

/// What both contracts have: the formats, the hashes that are used up, a pause and a denylist.
abstract contract GatewayCommonStandIn {
    bytes4 internal constant SPEC_MAGIC = 0xca85def7;
    bytes4 internal constant INTENT_MAGIC = 0x070afbc2;
    bytes4 internal constant ATTESTATION_MAGIC = 0xff6fb334;
    bytes4 internal constant SET_MAGIC = 0x1e12db71;
    uint256 internal constant HOOK_AT = 340;

    uint32 public domain;
    address public usdc;
    bool public paused;
    mapping(address => bool) public isDenylisted;
    mapping(bytes32 => bool) public isTransferSpecHashUsed;

    error EnforcedPause();
    error AccountDenylisted(address account);
    error TransferSpecHashUsed(bytes32 transferSpecHash);
    error UnsupportedToken(address token);
    /// Circle's contracts have several errors for this.
    error MalformedPayload();

    modifier whenNotPaused() {
        if (paused) revert EnforcedPause();
        _;
    }

    modifier notDenylisted(address account) {
        if (isDenylisted[account]) revert AccountDenylisted(account);
        _;
    }

    modifier tokenSupported(address token) {
        if (token != usdc) revert UnsupportedToken(token);
        _;
    }

    function pause() external {
        paused = true;
    }

    function unpause() external {
        paused = false;
    }

    function denylist(address account) external {
        isDenylisted[account] = true;
    }

    function unDenylist(address account) external {
        isDenylisted[account] = false;
    }

    function _use(bytes32 specHash) internal {
        if (isTransferSpecHashUsed[specHash]) revert TransferSpecHashUsed(specHash);
        isTransferSpecHashUsed[specHash] = true;
    }

    /// The fields of a packed spec, which has nothing before its magic and nothing after its hook.
    function _parse(bytes calldata data) internal pure returns (TransferSpec memory spec) {
        if (data.length < HOOK_AT || bytes4(data[0:4]) != SPEC_MAGIC) revert MalformedPayload();
        if (uint32(bytes4(data[336:340])) != data.length - HOOK_AT) revert MalformedPayload();
        spec.version = uint32(bytes4(data[4:8]));
        if (spec.version != 1) revert MalformedPayload();
        spec.sourceDomain = uint32(bytes4(data[8:12]));
        spec.destinationDomain = uint32(bytes4(data[12:16]));
        spec.sourceContract = bytes32(data[16:48]);
        spec.destinationContract = bytes32(data[48:80]);
        spec.sourceToken = bytes32(data[80:112]);
        spec.destinationToken = bytes32(data[112:144]);
        spec.sourceDepositor = bytes32(data[144:176]);
        spec.destinationRecipient = bytes32(data[176:208]);
        spec.sourceSigner = bytes32(data[208:240]);
        spec.destinationCaller = bytes32(data[240:272]);
        spec.value = uint256(bytes32(data[272:304]));
        spec.salt = bytes32(data[304:336]);
        spec.hookData = data[HOOK_AT:];
    }

    function _recover(bytes32 digest, bytes calldata signature) internal pure returns (address) {
        if (signature.length != 65) return address(0);
        (bytes32 r, bytes32 s) = (bytes32(signature[0:32]), bytes32(signature[32:64]));
        return ecrecover(digest, uint8(signature[64]), r, s);
    }

    function _address(bytes32 word) internal pure returns (address) {
        return address(uint160(uint256(word)));
    }
}
