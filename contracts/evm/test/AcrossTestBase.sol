// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AcrossBridge} from "../src/AcrossBridge.sol";
import {AcrossChains} from "../src/AcrossChains.sol";
import {Filler2} from "../src/Filler2.sol";
import {IntentFactory} from "../src/IntentFactory.sol";
import {Destination, Source} from "../src/Terms.sol";
import {BridgeVm} from "./CctpTestBase.sol";
import {UsdcStandIn} from "./UsdcStandIn.sol";

interface PoolVm is BridgeVm {
    function setEvmVersion(string calldata) external;
    function store(address, bytes32, bytes32) external;
}

/// The part of Across' SpokePool that tests call; its code is that of the npm package.
interface Pool {
    struct Relay {
        bytes32 depositor;
        bytes32 recipient;
        bytes32 exclusiveRelayer;
        bytes32 inputToken;
        bytes32 outputToken;
        uint256 inputAmount;
        uint256 outputAmount;
        uint256 originChainId;
        uint256 depositId;
        uint32 fillDeadline;
        uint32 exclusivityDeadline;
        bytes message;
    }

    struct RefundLeaf {
        uint256 amountToReturn;
        uint256 chainId;
        uint256[] refundAmounts;
        uint32 leafId;
        address l2TokenAddress;
        address[] refundAddresses;
    }

    struct SlowFill {
        Relay relayData;
        uint256 chainId;
        uint256 updatedOutputAmount;
    }

    function initialize(uint32 initialDepositId, address withdrawalRecipient) external;
    function fillDeadlineBuffer() external view returns (uint32);
    function pauseDeposits(bool pause) external;
    function fillRelay(Relay calldata relay, uint256 repaymentChain, bytes32 repaymentTo) external;
    function fillStatuses(bytes32 relayHash) external view returns (uint256);
    function requestSlowFill(Relay calldata relay) external;
    function executeSlowRelayLeaf(SlowFill calldata leaf, uint32 root, bytes32[] calldata proof)
        external;
    function relayRootBundle(bytes32 refundRoot, bytes32 slowRoot) external;
    function executeRelayerRefundLeaf(uint32 root, RefundLeaf calldata leaf, bytes32[] calldata)
        external;
    function speedUpDeposit(
        bytes32 depositor,
        uint256 depositId,
        uint256 updatedOutputAmount,
        bytes32 updatedRecipient,
        bytes calldata updatedMessage,
        bytes calldata signature
    ) external;
}

/// Two chains in one, each with the real SpokePool at its address, behind a proxy as Across has it.
abstract contract AcrossTestBase {
    PoolVm internal constant vm = PoolVm(address(uint160(uint256(keccak256("hevm cheat code")))));
    string private constant ARTIFACTS = 
        "../../build/npm/across-protocol-contracts-5.0.27/dist/evm/artifacts/";
    bytes32 private constant IMPLEMENTATION_SLOT =
        bytes32(uint256(keccak256("eip1967.proxy.implementation")) - 1);
    bytes32 internal constant FUNDS_DEPOSITED = keccak256(
        "FundsDeposited(bytes32,bytes32,uint256,uint256,uint256,uint256,uint32,uint32,uint32,bytes32,bytes32,bytes32,bytes)"
    );
    uint256 internal constant NOW = 1_800_000_000;
    uint256 internal constant EXPIRY = NOW + 1 hours;
    uint256 internal constant TOTAL = 25_010_000;
    uint256 internal constant OUTPUT = 25_002_000;
    uint256 internal constant AMOUNT = 25_000_000;
    uint256 internal constant BASE = 8453;
    uint256 internal constant ARBITRUM = 42161;

    IntentFactory internal factory;
    Filler2 internal filler;
    AcrossBridge internal bridge;
    uint32 private roots;

    address internal refundTo = address(0xBACC);
    address internal recipient = address(0xB0B);
    address internal relayer = address(0x4E1A);
    address internal coordinator = address(0xC00D);
    address internal stranger = address(0x5747);

    function deployContracts() internal {
        // The pool's code is newer than that of our contracts.
        vm.setEvmVersion("cancun");
        vm.warp(NOW);
        vm.chainId(BASE);
        factory = new IntentFactory(0xff);
        filler = new Filler2();
        bridge = new AcrossBridge(address(factory), address(filler));
        bytes memory proxy = runtimeOf(
            bytes.concat(
                code("ERC1967Proxy"), abi.encode(deployPool(3600, 21600), new bytes(0))
            )
        );
        uint256[2] memory chains = [BASE, ARBITRUM];
        for (uint256 i = 0; i < 2; ++i) {
            vm.etch(address(pool(chains[i])), proxy);
            setPool(chains[i], deployPool(3600, 21600));
            pool(chains[i]).initialize(0, address(0x4B));
            vm.etch(token(chains[i]), type(UsdcStandIn).runtimeCode);
        }
    }

    /// A SpokePool with these buffers, in seconds.
    function deployPool(uint32 quoteBuffer, uint32 fillBuffer) internal returns (address made) {
        bytes memory args = abi.encode(address(0x3E7), quoteBuffer, fillBuffer, address(0));
        bytes memory creation = bytes.concat(code("Ethereum_SpokePool"), args);
        assembly ("memory-safe") {
            made := create(0, add(creation, 32), mload(creation))
        }
        require(made != address(0), "the pool was not deployed");
    }

    function setPool(uint256 chain, address implementation) internal {
        vm.store(address(pool(chain)), IMPLEMENTATION_SLOT, word(implementation));
    }

    function pool(uint256 chain) internal pure returns (Pool) {
        return Pool(AcrossChains.find(chain).pool);
    }

    function token(uint256 chain) internal pure returns (address) {
        return AcrossChains.find(chain).usdc;
    }

    function usdc(uint256 chain) internal pure returns (UsdcStandIn) {
        return UsdcStandIn(token(chain));
    }

    function terms() internal view returns (Source memory source, Destination memory destination) {
        source = Source(
            BASE, 7, token(BASE), TOTAL, address(bridge), refundTo, coordinator, EXPIRY
        );
        destination = Destination(ARBITRUM, token(ARBITRUM), recipient, AMOUNT);
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

    function pay(Source memory source, Destination memory destination) internal {
        UsdcStandIn(source.token).mint(depositOf(source, destination), source.total);
    }

    /// Pay, start and deposit; on the source chain first, then on the destination chain.
    function paidAndSent(Source memory source, Destination memory destination)
        internal
        returns (Pool.Relay memory relay)
    {
        vm.chainId(source.chain);
        pay(source, destination);
        vm.recordLogs();
        vm.prank(coordinator);
        bridge.startAndBridge(source, destination, OUTPUT);
        relay = relayOf(vm.getRecordedLogs(), source.chain);
        vm.chainId(destination.chain);
    }

    /// What a relayer makes of the pool's log.
    function relayOf(BridgeVm.Log[] memory logs, uint256 origin)
        internal
        pure
        returns (Pool.Relay memory relay)
    {
        for (uint256 i = 0; i < logs.length; ++i) {
            if (logs[i].topics[0] != FUNDS_DEPOSITED) continue;
            relay.depositId = uint256(logs[i].topics[2]);
            relay.depositor = logs[i].topics[3];
            relay.originChainId = origin;
            (relay.inputToken, relay.outputToken, relay.inputAmount, relay.outputAmount,,,,,,) = abi
                .decode(
                logs[i].data,
                (bytes32, bytes32, uint256, uint256, uint32, uint32, uint32, bytes32, bytes32, bytes)
            );
            (,,,,, relay.fillDeadline, relay.exclusivityDeadline,,,) = abi.decode(
                logs[i].data,
                (bytes32, bytes32, uint256, uint256, uint32, uint32, uint32, bytes32, bytes32, bytes)
            );
            (,,,,,,, relay.recipient, relay.exclusiveRelayer, relay.message) = abi.decode(
                logs[i].data,
                (bytes32, bytes32, uint256, uint256, uint32, uint32, uint32, bytes32, bytes32, bytes)
            );
            return relay;
        }
        revert("nothing was deposited");
    }

    /// The relayer has the output, and the pool its allowance.
    function prepareRelayer(Pool.Relay memory relay) internal {
        usdc(ARBITRUM).mint(relayer, relay.outputAmount);
        vm.prank(relayer);
        usdc(ARBITRUM).approve(address(pool(ARBITRUM)), type(uint256).max);
    }

    function fill(Pool.Relay memory relay) internal {
        prepareRelayer(relay);
        vm.prank(relayer);
        pool(ARBITRUM).fillRelay(relay, BASE, word(relayer));
    }

    /// The pool refunds a depositor on the source chain, as a root of Across' owner says.
    function refundDepositor(address depositor, uint256 amount) internal {
        vm.chainId(BASE);
        Pool.RefundLeaf memory leaf;
        (leaf.chainId, leaf.l2TokenAddress) = (BASE, token(BASE));
        leaf.refundAmounts = new uint256[](1);
        leaf.refundAddresses = new address[](1);
        (leaf.refundAmounts[0], leaf.refundAddresses[0]) = (amount, depositor);
        pool(BASE).relayRootBundle(keccak256(abi.encode(leaf)), 0);
        pool(BASE).executeRelayerRefundLeaf(roots++, leaf, new bytes32[](0));
    }

    function word(address account) internal pure returns (bytes32) {
        return bytes32(uint256(uint160(account)));
    }

    function assertEq(uint256 actual, uint256 expected) internal pure {
        require(actual == expected, "numbers differ");
    }

    function assertTrue(bool condition) internal pure {
        require(condition, "condition is false");
    }

    function code(string memory name) private view returns (bytes memory) {
        string memory json = vm.readFile(string.concat(ARTIFACTS, name, ".sol/", name, ".json"));
        return vm.parseJsonBytes(json, ".bytecode");
    }

    /// What a creation code leaves at its address.
    function runtimeOf(bytes memory creation) private returns (bytes memory) {
        address made;
        assembly ("memory-safe") {
            made := create(0, add(creation, 32), mload(creation))
        }
        require(made != address(0), "not deployed");
        return made.code;
    }
}
