// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {CctpBridge} from "../src/CctpBridge.sol";
import {CctpChains} from "../src/CctpChains.sol";
import {Filler2} from "../src/Filler2.sol";
import {IntentFactory} from "../src/IntentFactory.sol";
import {Destination, Source} from "../src/Terms.sol";
import {MessageTransmitterStandIn, TokenMessengerStandIn} from "./CctpStandIn.sol";
import {Vm} from "./TestBase.sol";
import {TokenMinterStandIn, UsdcStandIn} from "./UsdcStandIn.sol";

interface BridgeVm is Vm {
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    function etch(address, bytes calldata) external;
    function roll(uint256) external;
    function addr(uint256) external returns (address);
    function sign(uint256, bytes32) external returns (uint8 v, bytes32 r, bytes32 s);
    function recordLogs() external;
    function getRecordedLogs() external returns (Log[] memory);
    function readFile(string calldata) external view returns (string memory);
    function exists(string calldata) external view returns (bool);
    function parseJsonBytes(string calldata, string calldata) external pure returns (bytes memory);
}

/// Two chains in one: Circle's stand-ins lie at Circle's addresses, each chain's USDC at its own,
/// and `on` says on which chain what follows happens. The bridge's two ends share one state, which
/// would show if one were taken for the other.
abstract contract CctpTestBase {
    BridgeVm internal constant vm =
        BridgeVm(address(uint160(uint256(keccak256("hevm cheat code")))));
    uint256 internal constant NOW = 1_800_000_000;
    uint256 internal constant EXPIRY = NOW + 1 hours;
    uint256 internal constant TOTAL = 25_010_000;
    uint256 internal constant AMOUNT = 25_000_000;
    uint256 internal constant BASE = 8453;
    uint256 internal constant ARBITRUM = 42161;
    uint256 internal constant BURN_LIMIT = 10_000_000e6;
    uint32 internal constant FAST = 1000;
    uint32 internal constant FINAL = 2000;
    bytes32 internal constant MESSAGE_SENT = keccak256("MessageSent(bytes)");
    bytes32 internal constant ARRIVED =
        keccak256("Arrived(bytes32,address,uint8,address,uint256,uint256,uint256)");

    MessageTransmitterStandIn internal constant transmitter =
        MessageTransmitterStandIn(CctpChains.TRANSMITTER);
    TokenMessengerStandIn internal constant messenger = TokenMessengerStandIn(CctpChains.MESSENGER);

    IntentFactory internal factory;
    Filler2 internal filler;
    CctpBridge internal fast;
    CctpBridge internal standard;
    TokenMinterStandIn internal minter;
    uint256 private lastNonce;

    address internal refundTo = address(0xBACC);
    address internal recipient = address(0xB0B);
    address internal relayer = address(0x4E1A);
    address internal coordinator = address(0xC00D);
    address internal stranger = address(0x5747);
    address internal circle = address(0xC12C1E);

    function deployContracts() internal {
        vm.warp(NOW);
        factory = new IntentFactory(0xff);
        filler = new Filler2();
        fast = new CctpBridge(address(factory), address(filler), FAST);
        standard = new CctpBridge(address(factory), address(filler), FINAL);
        minter = new TokenMinterStandIn();
        vm.etch(address(transmitter), type(MessageTransmitterStandIn).runtimeCode);
        vm.etch(address(messenger), type(TokenMessengerStandIn).runtimeCode);
        messenger.initialize(address(transmitter), address(minter), circle);
        uint256[2] memory chains = [BASE, ARBITRUM];
        for (uint256 i = 0; i < 2; ++i) {
            CctpChains.End memory end = CctpChains.find(chains[i]);
            vm.etch(end.usdc, type(UsdcStandIn).runtimeCode);
            messenger.addRemoteDomain(end.domain);
            // A token pair is for the USDC of the chain where the message arrives.
            on(chains[1 - i]);
            minter.linkTokenPair(end.domain, end.usdc);
        }
        on(BASE);
    }

    /// What follows happens on this chain.
    function on(uint256 chain) internal {
        vm.chainId(chain);
        address[] memory attesters = new address[](2);
        (attesters[0], attesters[1]) = (vm.addr(attesterKey(0)), vm.addr(attesterKey(1)));
        transmitter.initialize(CctpChains.find(chain).domain, attesters, 2);
        minter.initialize(address(messenger), address(usdc(chain)), BURN_LIMIT);
    }

    function usdc(uint256 chain) internal pure returns (UsdcStandIn) {
        return UsdcStandIn(CctpChains.find(chain).usdc);
    }

    function terms(CctpBridge bridge)
        internal
        view
        returns (Source memory source, Destination memory destination)
    {
        source = Source(
            BASE, 7, address(usdc(BASE)), TOTAL, address(bridge), refundTo, coordinator, EXPIRY
        );
        destination = Destination(ARBITRUM, address(usdc(ARBITRUM)), recipient, AMOUNT);
    }

    function hashOf(Source memory source, Destination memory destination)
        internal
        pure
        returns (bytes32)
    {
        return keccak256(
            abi.encodePacked(keccak256(abi.encode(source)), keccak256(abi.encode(destination)))
        );
    }

    function destHash(Destination memory destination) internal pure returns (bytes32) {
        return keccak256(abi.encode(destination));
    }

    function depositOf(Source memory source, Destination memory destination)
        internal
        view
        returns (address)
    {
        return factory.depositAddress(hashOf(source, destination));
    }

    /// Deposit the exact total.
    function pay(Source memory source, Destination memory destination) internal {
        UsdcStandIn(source.token).mint(depositOf(source, destination), source.total);
    }

    /// Start and burn on the source chain; the message that the chain emits.
    function send(Source memory source, Destination memory destination)
        internal
        returns (bytes memory)
    {
        vm.recordLogs();
        vm.prank(stranger);
        CctpBridge(source.bridger).startAndBridge(source, destination);
        return sentMessage();
    }

    /// Pay, start and burn; on the source chain first, then on the destination chain.
    function paidAndSent(Source memory source, Destination memory destination)
        internal
        returns (bytes memory message)
    {
        on(source.chain);
        pay(source, destination);
        message = send(source, destination);
        on(destination.chain);
    }

    /// The last message that was emitted since `recordLogs`.
    function sentMessage() internal returns (bytes memory message) {
        BridgeVm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i = 0; i < logs.length; ++i) {
            if (logs[i].topics[0] == MESSAGE_SENT) message = abi.decode(logs[i].data, (bytes));
        }
        require(message.length != 0, "no message was sent");
    }

    /// What Circle's service makes of an emitted message: the four fields that it fills in, and
    /// both signatures.
    function attest(bytes memory message, uint32 finality, uint256 fee, uint256 expirationBlock)
        internal
        returns (bytes memory, bytes memory)
    {
        return attestAs(bytes32(++lastNonce + (1 << 200)), message, finality, fee, expirationBlock);
    }

    function attestAs(
        bytes32 nonce,
        bytes memory message,
        uint32 finality,
        uint256 fee,
        uint256 expirationBlock
    ) internal returns (bytes memory filled, bytes memory) {
        filled = bytes.concat(message);
        put(filled, 12, nonce);
        if (filled.length >= 376) {
            put(filled, 312, bytes32(fee));
            put(filled, 344, bytes32(expirationBlock));
        }
        for (uint256 i = 0; i < 4; ++i) filled[144 + i] = bytes4(finality)[i];
        return (filled, signatures(filled));
    }

    function signatures(bytes memory message) internal returns (bytes memory) {
        bool swap = vm.addr(attesterKey(0)) > vm.addr(attesterKey(1));
        return bytes.concat(
            signature(swap ? attesterKey(1) : attesterKey(0), message),
            signature(swap ? attesterKey(0) : attesterKey(1), message)
        );
    }

    function signature(uint256 key, bytes memory message) internal returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, keccak256(message));
        return abi.encodePacked(r, s, v);
    }

    function attesterKey(uint256 index) internal pure returns (uint256) {
        return uint256(keccak256(abi.encode("attester", index)));
    }

    function put(bytes memory data, uint256 offset, bytes32 word) internal pure {
        assembly ("memory-safe") {
            mstore(add(add(data, 32), offset), word)
        }
    }

    /// Attest at the bridge's own finality with a fee of Circle's, and deliver.
    function deliver(CctpBridge bridge, bytes memory message, uint256 fee) internal {
        (bytes memory filled, bytes memory attestation) =
            attest(message, bridge.MIN_FINALITY(), fee, 0);
        vm.prank(stranger);
        bridge.deliver(filled, attestation);
    }

    /// Pay the recipient by a relayer's own money; `repayTo` is who is repaid.
    function fillBy(
        address payer,
        Source memory source,
        Destination memory destination,
        address repayTo
    ) internal {
        UsdcStandIn(destination.token).mint(payer, destination.amount);
        // One prank for each call: a call that reverts must not leave one behind.
        vm.prank(payer);
        UsdcStandIn(destination.token).approve(address(filler), destination.amount);
        bytes32 sourceHash = keccak256(abi.encode(source));
        vm.prank(payer);
        filler.fill(
            sourceHash,
            destination.token,
            destination.recipient,
            destination.amount,
            repayTo,
            block.timestamp
        );
    }

    function assertEq(uint256 actual, uint256 expected) internal pure {
        require(actual == expected, "numbers differ");
    }

    function assertTrue(bool condition) internal pure {
        require(condition, "condition is false");
    }
}
