// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BridgeBase} from "../src/BridgeBase.sol";
import {CctpBridge} from "../src/CctpBridge.sol";
import {CctpChains} from "../src/CctpChains.sol";
import {CctpSwapBridge} from "../src/CctpSwapBridge.sol";
import {PoolSwap} from "../src/PoolSwap.sol";
import {SettlementBase} from "../src/SettlementBase.sol";
import {SwapChains} from "../src/SwapChains.sol";
import {Destination, Source} from "../src/Terms.sol";
import {BridgeVm} from "./CctpTestBase.sol";
import {SwapTestBase} from "./SwapTestBase.sol";
import {GasBurningReceiver, RevertingReceiver, StandardToken} from "./Tokens.sol";

/// The source chain's end of CctpSwapBridge: what it buys, what it burns and what it returns.
contract CctpSwapTest is SwapTestBase {
    bytes32 private constant TOKENS_MOVED =
        keccak256("TokensMoved(bytes32,address,uint8,address,address,address,uint256)");
    bytes32 private constant SWAPPED =
        keccak256("Swapped(bytes32,address,uint256,address,uint256)");

    function setUp() public {
        deploySwaps();
    }

    function test_a_token_is_swapped_and_the_usdc_burnt_with_the_terms() public {
        checkSwap(swapFast, address(dai), pathOf(address(dai)));
    }

    function test_the_native_coin_is_wrapped_and_swapped() public {
        checkSwap(swapFast, NATIVE, pathOf(NATIVE));
    }

    function test_the_wrapped_coin_is_swapped_as_any_token() public {
        checkSwap(swapFast, address(weth), pathOf(address(weth)));
    }

    function test_a_standard_payment_asks_for_finality() public {
        checkSwap(swapStandard, address(dai), pathOf(address(dai)));
    }

    function test_a_path_leads_over_several_pools() public {
        bytes memory path = abi.encodePacked(hop(address(weth), 500), uint24(3000), address(dai));
        checkSwap(swapFast, address(dai), path);
        path = abi.encodePacked(hop(address(dai), 500), uint24(3000), address(weth));
        checkSwap(swapFast, NATIVE, path);
    }

    function test_each_transfer_is_an_event() public {
        (Source memory source, Destination memory destination) = swapTerms(swapFast, NATIVE);
        payIn(source, destination);
        vm.recordLogs();
        swapAs(coordinator, source, destination, OUTPUT, pathOf(NATIVE));
        BridgeVm.Log[] memory logs = vm.getRecordedLogs();
        uint256 spent = source.total - refundTo.balance;
        address self = address(swapFast);
        address pool = address(wethPool);
        address usdc_ = address(usdc(BASE));
        bytes[5] memory moved = [
            abi.encode(1, NATIVE, depositOf(source, destination), self, source.total),
            abi.encode(11, NATIVE, self, address(weth), spent),
            abi.encode(11, address(weth), self, pool, spent),
            abi.encode(7, usdc_, self, address(messenger), OUTPUT),
            abi.encode(12, NATIVE, self, refundTo, refundTo.balance)
        ];
        uint256 seen;
        for (uint256 i = 0; i < logs.length; ++i) {
            if (logs[i].topics[0] != TOKENS_MOVED) continue;
            assertTrue(logs[i].topics[1] == hashOf(source, destination));
            bytes memory found = bytes.concat(logs[i].topics[3], logs[i].data);
            assertTrue(keccak256(found) == keccak256(moved[seen++]));
        }
        assertEq(seen, 5);
    }

    function test_a_swapped_payment_is_delivered_and_the_rest_is_the_coordinators() public {
        (Source memory source, Destination memory destination) = swapTerms(swapFast, NATIVE);
        bytes memory message = paidAndSwapped(source, destination);
        on(ARBITRUM);
        deliver(CctpBridge(address(swapFast)), message, 2_000);
        assertEq(usdc(ARBITRUM).balanceOf(recipient), AMOUNT);
        uint256 rest = OUTPUT - AMOUNT - 2_000;
        assertEq(swapFast.owed(coordinator, address(usdc(ARBITRUM))), rest);
        assertEq(usdc(ARBITRUM).balanceOf(address(swapFast)), rest);
    }

    function test_circle_is_offered_at_most_a_fivehundredth_of_what_was_bought() public {
        (Source memory source, Destination memory destination) = swapTerms(swapFast, address(dai));
        destination.amount = OUTPUT / 2;
        payIn(source, destination);
        vm.recordLogs();
        swapAs(coordinator, source, destination, OUTPUT, pathOf(address(dai)));
        // A message's head is of 148 bytes, and the fee the sixth field of its body.
        assertEq(uint256(wordAt(sentMessage(), 280)), OUTPUT / 500);
    }

    function test_a_deposit_that_a_stranger_started_is_swapped_all_the_same() public {
        address[2] memory tokens = [NATIVE, address(dai)];
        for (uint256 i = 0; i < 2; ++i) {
            (Source memory source, Destination memory destination) =
                swapTerms(swapFast, tokens[i]);
            payIn(source, destination);
            vm.prank(stranger);
            factory.start(source, destHash(destination));
            assertEq(held(tokens[i], address(swapFast)), source.total);
            swapAs(coordinator, source, destination, OUTPUT, pathOf(tokens[i]));
            assertEq(held(tokens[i], address(swapFast)), 0);
        }
    }

    function test_only_the_coordinator_and_its_agents_swap() public {
        (Source memory source, Destination memory destination) = swapTerms(swapFast, address(dai));
        payIn(source, destination);
        bytes memory path = pathOf(address(dai));
        vm.prank(stranger);
        factory.setAgent(stranger, true);
        vm.prank(stranger);
        vm.expectRevert(SettlementBase.NotAuthorized.selector);
        swapFast.startAndBridge(source, destination, OUTPUT, path);
        vm.prank(coordinator);
        factory.setAgent(relayer, true);
        swapAs(relayer, source, destination, OUTPUT, path);
    }

    function test_a_deposit_is_swapped_once() public {
        (Source memory source, Destination memory destination) = swapTerms(swapFast, address(dai));
        paidAndSwapped(source, destination);
        dai.mint(address(swapFast), DAI_TOTAL);
        payIn(source, destination);
        vm.prank(coordinator);
        vm.expectRevert(BridgeBase.AlreadySent.selector);
        swapFast.startAndBridge(source, destination, OUTPUT, pathOf(address(dai)));
        vm.expectRevert(BridgeBase.AlreadySent.selector);
        swapFast.giveBack(source, destHash(destination));
        assertEq(dai.balanceOf(address(swapFast)), DAI_TOTAL);
    }

    function test_nothing_is_swapped_from_expiry_on_and_anyone_gives_back() public {
        address[2] memory tokens = [NATIVE, address(dai)];
        for (uint256 i = 0; i < 2; ++i) {
            vm.warp(NOW);
            (Source memory source, Destination memory destination) =
                swapTerms(swapFast, tokens[i]);
            payIn(source, destination);
            factory.start(source, destHash(destination));
            vm.warp(EXPIRY);
            bytes memory why = selector(BridgeBase.Expired.selector);
            swapRefused(source, destination, OUTPUT, pathOf(tokens[i]), why);
            vm.prank(stranger);
            swapFast.giveBack(source, destHash(destination));
            assertEq(held(tokens[i], refundTo), source.total);
            assertEq(held(tokens[i], address(swapFast)), 0);
        }
    }

    function test_terms_that_a_swap_cannot_keep_are_refused() public {
        (Source memory source, Destination memory destination) = swapTerms(swapFast, address(dai));
        source.refundTo = address(0);
        termsRefused(source, destination);
        (source, destination) = swapTerms(swapFast, address(dai));
        destination.amount = OUTPUT + 1;
        termsRefused(source, destination);
        destination.amount = 0;
        termsRefused(source, destination);
        (source, destination) = swapTerms(swapFast, address(dai));
        destination.recipient = address(0);
        termsRefused(source, destination);
        destination.recipient = address(swapFast);
        termsRefused(source, destination);
        (source, destination) = swapTerms(swapFast, address(dai));
        destination.token = NATIVE;
        termsRefused(source, destination);
        (source, destination) = swapTerms(swapFast, address(dai));
        (destination.chain, destination.token) = (source.chain, address(usdc(BASE)));
        termsRefused(source, destination);
        destination.chain = 84532;
        destination.token = CctpChains.find(84532).usdc;
        termsRefused(source, destination);
        (source, destination) = swapTerms(swapStandard, address(dai));
        payIn(source, destination);
        vm.prank(coordinator);
        vm.expectRevert(SettlementBase.InvalidTerms.selector);
        swapFast.startAndBridge(source, destination, OUTPUT, pathOf(address(dai)));
        (source, destination) = swapTerms(swapFast, address(usdc(BASE)));
        source.total = OUTPUT;
        termsRefused(source, destination);
    }

    function test_a_chain_without_pools_can_only_receive() public {
        (Source memory source, Destination memory destination) = swapTerms(swapFast, NATIVE);
        source.chain = 999;
        vm.chainId(999);
        payIn(source, destination);
        bytes memory why = abi.encodeWithSelector(SwapChains.NoSwaps.selector, 999);
        swapRefused(source, destination, OUTPUT, pathOf(NATIVE), why);
    }

    function test_what_circle_refuses_leaves_the_deposit_where_it_is() public {
        (Source memory source, Destination memory destination) = swapTerms(swapFast, address(dai));
        payIn(source, destination);
        messenger.denylist(address(swapFast));
        bytes memory why =
            abi.encodeWithSignature("Error(string)", "Denylistable: account is on denylist");
        swapRefused(source, destination, OUTPUT, pathOf(address(dai)), why);
        assertEq(dai.balanceOf(depositOf(source, destination)), DAI_TOTAL);
    }

    function test_usdc_that_the_messenger_does_not_take_is_not_bought() public {
        (Source memory source, Destination memory destination) = swapTerms(swapFast, address(dai));
        payIn(source, destination);
        vm.etch(address(messenger), hex"00"); // It stops, and burns nothing.
        bytes memory why = selector(BridgeBase.BridgeFailed.selector);
        swapRefused(source, destination, OUTPUT, pathOf(address(dai)), why);
    }

    function test_change_that_the_payer_refuses_goes_to_the_deposit_address() public {
        RevertingReceiver payer = new RevertingReceiver();
        refundTo = address(payer);
        changeWaits();
        payer.set(true);
        (Source memory source, Destination memory destination) = swapTerms(swapFast, NATIVE);
        uint256 change = depositOf(source, destination).balance;
        vm.prank(stranger);
        factory.refund(source, destHash(destination), NATIVE);
        assertEq(refundTo.balance, change);
    }

    function test_change_that_burns_gas_goes_to_the_deposit_address() public {
        refundTo = address(new GasBurningReceiver());
        changeWaits();
    }

    function test_a_swap_with_any_gas_limit_reverts_or_returns_the_change() public {
        uint256 swapped;
        uint256 waiting;
        for (uint256 gas_ = 150_000; gas_ < 600_000; gas_ += 10_000) {
            (Source memory source, Destination memory destination) = swapTerms(swapFast, NATIVE);
            source.nonce = gas_;
            payIn(source, destination);
            uint256 change = source.total - quoted(pathOf(NATIVE), OUTPUT);
            uint256 before = refundTo.balance;
            vm.prank(coordinator);
            try swapFast.startAndBridge{gas: gas_}(source, destination, OUTPUT, pathOf(NATIVE)) {
                ++swapped;
                uint256 left = depositOf(source, destination).balance;
                if (left != 0) ++waiting;
                assertEq(left + refundTo.balance - before, change);
            } catch {
                assertEq(depositOf(source, destination).balance, source.total);
            }
        }
        assertTrue(swapped > 10 && swapped < 40);
        assertEq(waiting, 0);
    }

    function testFuzz_what_is_not_spent_goes_back(uint64 output, uint128 more) public {
        (Source memory source, Destination memory destination) = swapTerms(swapFast, address(dai));
        uint256 bought = AMOUNT + output % 100_000e6;
        uint256 cost = quoted(pathOf(address(dai)), bought);
        source.total = cost + more;
        payIn(source, destination);
        swapAs(coordinator, source, destination, bought, pathOf(address(dai)));
        assertEq(dai.balanceOf(refundTo), more);
        assertEq(dai.balanceOf(address(swapFast)), 0);
        assertEq(usdc(BASE).balanceOf(address(swapFast)), 0);
    }

    function changeWaits() private {
        (Source memory source, Destination memory destination) = swapTerms(swapFast, NATIVE);
        uint256 change = source.total - quoted(pathOf(NATIVE), OUTPUT);
        paidAndSwapped(source, destination);
        assertEq(refundTo.balance, 0);
        assertEq(depositOf(source, destination).balance, change);
        assertEq(address(swapFast).balance, 0);
    }

    function termsRefused(Source memory source, Destination memory destination) private {
        payIn(source, destination);
        swapRefused(
            source,
            destination,
            OUTPUT,
            pathOf(address(dai)),
            selector(SettlementBase.InvalidTerms.selector)
        );
    }

    function checkSwap(CctpSwapBridge bridge, address token, bytes memory path) private {
        (Source memory source, Destination memory destination) = swapTerms(bridge, token);
        usdc(BASE).mint(address(bridge), 1); // Somebody's gift stays where it is.
        uint256 cost = quoted(path, OUTPUT);
        uint256 before = held(token, refundTo);
        uint256 gifts = usdc(BASE).balanceOf(address(bridge));
        payIn(source, destination);
        vm.recordLogs();
        swapAs(coordinator, source, destination, OUTPUT, path);
        BridgeVm.Log[] memory logs = vm.getRecordedLogs();
        assertEq(held(token, refundTo) - before, source.total - cost);
        assertEq(held(token, address(bridge)), 0);
        assertEq(usdc(BASE).allowance(address(bridge), address(messenger)), 0);
        bool found;
        for (uint256 i = 0; i < logs.length; ++i) {
            if (logs[i].topics[0] == MESSAGE_SENT) {
                bytes memory message = abi.decode(logs[i].data, (bytes));
                assertTrue(keccak256(message) == keccak256(expected(source, destination)));
            }
            if (logs[i].topics[0] != SWAPPED) continue;
            found = true;
            assertTrue(logs[i].topics[1] == hashOf(source, destination));
            bytes memory data = abi.encode(token, cost, address(usdc(BASE)), OUTPUT);
            assertTrue(keccak256(logs[i].data) == keccak256(data));
        }
        assertTrue(found);
        assertEq(usdc(BASE).balanceOf(address(bridge)), gifts);
    }

    /// The message of a burn of what was bought, with the terms.
    function expected(Source memory source, Destination memory destination)
        private
        view
        returns (bytes memory)
    {
        bytes32 self = bytes32(uint256(uint160(source.bridger)));
        bytes32 peer = bytes32(uint256(uint160(address(messenger))));
        uint32 finality = CctpSwapBridge(payable(source.bridger)).MIN_FINALITY();
        bytes memory head = abi.encodePacked(uint32(1), uint32(6), uint32(3), bytes32(0));
        head = abi.encodePacked(head, peer, peer, self, finality, uint32(0));
        bytes32 token = bytes32(uint256(uint160(address(usdc(BASE)))));
        uint256 fee = OUTPUT - AMOUNT;
        bytes memory body = abi.encodePacked(uint32(1), token, self, OUTPUT, self, fee);
        return abi.encodePacked(head, body, new bytes(64), abi.encode(source, destination));
    }

    function wordAt(bytes memory data, uint256 offset) private pure returns (bytes32 word) {
        assembly ("memory-safe") {
            word := mload(add(add(data, 32), offset))
        }
    }
}
