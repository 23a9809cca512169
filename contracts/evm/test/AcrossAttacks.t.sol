// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BridgeBase} from "../src/BridgeBase.sol";
import {SettlementBase} from "../src/SettlementBase.sol";
import {Destination, Source} from "../src/Terms.sol";
import {AcrossTestBase, Pool} from "./AcrossTestBase.sol";
import {CallbackToken, StandardToken} from "./Tokens.sol";

/// A pool that takes nothing.
contract LazyPool {
    function fillDeadlineBuffer() external pure returns (uint32) {
        return 600;
    }

    fallback() external {}
}

/// What strangers, agents and relayers try with AcrossBridge, on the real SpokePool.
contract AcrossAttacksTest is AcrossTestBase {
    error Tried(bool worked, uint256 got, uint256 owed);

    Pool.Relay private waiting;

    function setUp() public {
        deployContracts();
        (Source memory source, Destination memory destination) = terms();
        waiting = paidAndSent(source, destination);
        prepareRelayer(waiting);
    }

    /// Across adds up what it refunds to one depositor: with a shared one, whoever asks first has it.
    function test_a_payer_whose_deposit_was_filled_gets_no_refund_of_another() public {
        (Source memory first, Destination memory destination) = terms();
        (Source memory second,) = terms();
        (second.nonce, second.refundTo) = (8, address(0xBACD));
        fillWaiting();
        paidAndSent(second, destination);
        vm.warp(NOW + 3 hours);
        refundDepositor(depositOf(second, destination), TOTAL);
        vm.expectRevert(SettlementBase.NothingToTransfer.selector);
        factory.refund(first, destHash(destination), token(BASE));
        factory.refund(second, destHash(destination), token(BASE));
        assertEq(usdc(BASE).balanceOf(first.refundTo), 0);
        assertEq(usdc(BASE).balanceOf(second.refundTo), TOTAL);
    }

    function test_an_agent_cannot_send_less_than_the_total() public {
        uint256[3] memory outputs = [AMOUNT, TOTAL * 2, type(uint256).max];
        vm.chainId(BASE);
        vm.prank(coordinator);
        factory.setAgent(relayer, true);
        for (uint256 i = 0; i < 3; ++i) {
            (Source memory source, Destination memory destination) = terms();
            source.nonce = 100 + i;
            pay(source, destination);
            vm.recordLogs();
            vm.prank(relayer);
            bridge.startAndBridge(source, destination, outputs[i]);
            assertEq(relayOf(vm.getRecordedLogs(), BASE).inputAmount, TOTAL);
            assertEq(usdc(BASE).balanceOf(address(bridge)), 0);
            // Nobody fills what asks for too much: the payer is refunded.
            refundDepositor(depositOf(source, destination), TOTAL);
            factory.refund(source, destHash(destination), token(BASE));
            assertEq(usdc(BASE).balanceOf(refundTo), (i + 1) * TOTAL);
        }
    }

    /// What is left of the total is the relayer's who fills, which the agent can be itself.
    function test_an_agent_that_asks_for_the_amount_alone_keeps_the_rest() public {
        (Source memory source, Destination memory destination) = terms();
        source.nonce = 8;
        pay(source, destination);
        vm.chainId(BASE);
        vm.prank(coordinator);
        factory.setAgent(relayer, true);
        vm.recordLogs();
        vm.prank(relayer);
        bridge.startAndBridge(source, destination, AMOUNT);
        Pool.Relay memory relay = relayOf(vm.getRecordedLogs(), BASE);
        vm.chainId(ARBITRUM);
        fill(relay);
        assertEq(usdc(ARBITRUM).balanceOf(recipient), AMOUNT);
        assertEq(bridge.owed(coordinator, token(ARBITRUM)), 0);
    }

    /// Why the service sends nothing before the contract is deployed there: the pool pays the bare
    /// address, and the relay is filled for ever.
    function test_a_fill_where_the_bridge_is_not_deployed_pays_nobody() public {
        (Source memory source, Destination memory destination) = terms();
        bytes memory code = address(bridge).code;
        vm.etch(address(bridge), "");
        fillWaiting();
        vm.etch(address(bridge), code);
        assertEq(usdc(ARBITRUM).balanceOf(recipient), 0);
        assertEq(bridge.arrived(hashOf(source, destination)), 0);
        vm.prank(relayer);
        vm.expectRevert();
        pool(ARBITRUM).fillRelay(waiting, BASE, word(relayer));
    }

    /// Why the service never does it: the deposit can expire, and then both have the money.
    function test_whoever_pays_the_recipient_before_across_does_bears_the_expiry() public {
        (Source memory source, Destination memory destination) = terms();
        prefill(source, destination, stranger);
        vm.warp(NOW + 3 hours);
        refundDepositor(depositOf(source, destination), TOTAL);
        factory.refund(source, destHash(destination), token(BASE));
        assertEq(usdc(ARBITRUM).balanceOf(recipient), AMOUNT);
        assertEq(usdc(BASE).balanceOf(refundTo), TOTAL);
        assertEq(usdc(ARBITRUM).balanceOf(stranger), 0);
        assertEq(bridge.owed(stranger, token(ARBITRUM)), 0);
    }

    function test_a_fill_repays_whoever_paid_the_recipient() public {
        (Source memory source, Destination memory destination) = terms();
        prefill(source, destination, stranger);
        fillWaiting();
        assertEq(usdc(ARBITRUM).balanceOf(recipient), AMOUNT);
        assertEq(usdc(ARBITRUM).balanceOf(stranger), AMOUNT);
        assertEq(bridge.owed(coordinator, token(ARBITRUM)), OUTPUT - AMOUNT);
    }

    function test_a_repayment_that_is_refused_does_not_stop_the_fill() public {
        (Source memory source, Destination memory destination) = terms();
        prefill(source, destination, stranger);
        usdc(ARBITRUM).blacklist(stranger);
        fillWaiting();
        assertEq(bridge.owed(stranger, token(ARBITRUM)), AMOUNT);
    }

    function test_a_strangers_deposit_with_our_terms_and_less_money_is_not_filled() public {
        (Source memory source, Destination memory destination) = terms();
        Pool.Relay memory forged = forge(1, abi.encode(source, destination));
        fillRefused(forged, SettlementBase.InvalidTerms.selector);
        // Neither after the recipient was paid by another's money.
        prefill(source, destination, stranger);
        fillRefused(forged, SettlementBase.InvalidTerms.selector);
        fillWaiting();
        assertEq(usdc(ARBITRUM).balanceOf(stranger), AMOUNT);
    }

    function test_a_strangers_deposit_with_our_terms_and_enough_money_is_a_gift() public {
        (Source memory source, Destination memory destination) = terms();
        fill(forge(AMOUNT, abi.encode(source, destination)));
        assertEq(usdc(ARBITRUM).balanceOf(recipient), AMOUNT);
        fillWaiting();
        assertEq(usdc(ARBITRUM).balanceOf(recipient), AMOUNT);
        assertEq(bridge.owed(coordinator, token(ARBITRUM)), OUTPUT);
        assertEq(usdc(ARBITRUM).balanceOf(address(bridge)), OUTPUT);
    }

    function test_forged_terms_are_not_filled() public {
        (Source memory source, Destination memory destination) = terms();
        source.bridger = stranger;
        fillRefused(
            forge(OUTPUT, abi.encode(source, destination)), SettlementBase.InvalidTerms.selector
        );
        (source, destination) = terms();
        destination.chain = BASE;
        fillRefused(
            forge(OUTPUT, abi.encode(source, destination)), SettlementBase.InvalidTerms.selector
        );
        // A token of the stranger's own instead of the one of the terms.
        (source, destination) = terms();
        StandardToken worthless = new StandardToken();
        worthless.mint(relayer, OUTPUT);
        vm.prank(relayer);
        worthless.approve(address(pool(ARBITRUM)), OUTPUT);
        Pool.Relay memory forged = forge(OUTPUT, abi.encode(source, destination));
        forged.outputToken = word(address(worthless));
        fillRefused(forged, SettlementBase.InvalidTerms.selector);
        forged = forge(OUTPUT, hex"00");
        prepareRelayer(forged);
        vm.prank(relayer);
        vm.expectRevert();
        pool(ARBITRUM).fillRelay(forged, BASE, word(relayer));
    }

    function test_only_the_pool_of_the_chain_says_what_arrived() public {
        (Source memory source, Destination memory destination) = terms();
        bytes memory message = abi.encode(source, destination);
        address[2] memory callers = [stranger, address(pool(BASE))];
        for (uint256 i = 0; i < 2; ++i) {
            vm.prank(callers[i]);
            vm.expectRevert(SettlementBase.NotAuthorized.selector);
            bridge.handleV3AcrossMessage(token(ARBITRUM), OUTPUT, relayer, message);
        }
        fillWaiting();
    }

    function test_nobody_changes_a_deposit_later() public {
        bytes32 depositor = waiting.depositor;
        uint256 depositId = waiting.depositId;
        bytes memory signature = new bytes(65);
        vm.chainId(BASE);
        vm.prank(coordinator);
        vm.expectRevert();
        pool(BASE).speedUpDeposit(depositor, depositId, 1, word(stranger), "", signature);
    }

    /// The filler is locked while it pays: a relayer cannot fill from there, and nothing is marked.
    function test_a_fill_inside_a_payout_is_refused() public {
        CallbackToken hostile = new CallbackToken();
        hostile.onTransfer(address(this), abi.encodeCall(this.fillWaiting, ()));
        hostile.mint(stranger, 1);
        vm.prank(stranger);
        hostile.approve(address(filler), 1);
        vm.prank(stranger);
        filler.fill("", address(hostile), address(0xBAD), 1, stranger, NOW);
        assertTrue(hostile.tried());
        assertTrue(hostile.revertSelector() == BridgeBase.BridgeFailed.selector);
        fillWaiting();
        assertEq(usdc(ARBITRUM).balanceOf(recipient), AMOUNT);
    }

    function test_the_money_of_two_intents_is_not_mixed() public {
        vm.chainId(BASE);
        (Source memory first, Destination memory destination) = terms();
        (Source memory second,) = terms();
        (first.nonce, second.nonce, second.total) = (101, 102, AMOUNT);
        pay(first, destination);
        pay(second, destination);
        factory.start(first, destHash(destination));
        factory.start(second, destHash(destination));
        vm.prank(coordinator);
        bridge.startAndBridge(second, destination, AMOUNT);
        assertEq(usdc(BASE).balanceOf(address(bridge)), TOTAL);
        vm.prank(coordinator);
        bridge.giveBack(first, destHash(destination));
        assertEq(usdc(BASE).balanceOf(refundTo), TOTAL);
        assertEq(usdc(BASE).balanceOf(address(bridge)), 0);
    }

    function test_what_the_pool_does_not_take_is_not_sent() public {
        vm.chainId(BASE);
        (Source memory source, Destination memory destination) = terms();
        source.nonce = 100;
        pay(source, destination);
        vm.etch(address(pool(BASE)), type(LazyPool).runtimeCode);
        vm.prank(coordinator);
        vm.expectRevert(BridgeBase.BridgeFailed.selector);
        bridge.startAndBridge(source, destination, OUTPUT);
        assertEq(bridge.spent(hashOf(source, destination)), 0);
    }

    function test_changed_terms_are_another_payment() public {
        vm.chainId(BASE);
        (Source memory source, Destination memory destination) = terms();
        source.nonce = 100;
        pay(source, destination);
        destination.recipient = coordinator;
        vm.prank(coordinator);
        vm.expectRevert();
        bridge.startAndBridge(source, destination, OUTPUT);
    }

    /// It cannot claim it later either: only the factory moves what a deposit address has.
    function test_a_denied_deposit_address_leaves_its_refund_with_the_pool() public {
        (Source memory source, Destination memory destination) = terms();
        usdc(BASE).blacklist(depositOf(source, destination));
        refundDepositor(depositOf(source, destination), TOTAL);
        assertEq(usdc(BASE).balanceOf(address(pool(BASE))), TOTAL);
        assertEq(usdc(BASE).balanceOf(depositOf(source, destination)), 0);
    }

    /// An estimate finds the least gas with which the call succeeds: with it, the recipient is paid.
    function test_a_fill_with_any_gas_limit_reverts_or_pays() public {
        uint256 paid;
        for (uint256 gas_ = 60_000; gas_ <= 400_000; gas_ += 1_000) {
            try this.attempt(gas_) {}
            catch (bytes memory reason) {
                (bool worked, uint256 got, uint256 owed) = read(reason);
                assertTrue(got == (worked ? AMOUNT : 0));
                assertTrue(owed == (worked ? OUTPUT - AMOUNT : 0));
                if (worked) ++paid;
            }
        }
        assertTrue(paid > 50);
    }

    function attempt(uint256 gas_) external {
        bool worked;
        vm.prank(relayer);
        try pool(ARBITRUM).fillRelay{gas: gas_}(waiting, BASE, word(relayer)) {
            worked = true;
        } catch {}
        revert Tried(
            worked,
            usdc(ARBITRUM).balanceOf(recipient),
            bridge.owed(coordinator, token(ARBITRUM))
        );
    }

    function fillWaiting() public {
        vm.chainId(ARBITRUM);
        vm.prank(relayer);
        pool(ARBITRUM).fillRelay(waiting, BASE, word(relayer));
    }

    function read(bytes memory reason)
        private
        pure
        returns (bool worked, uint256 got, uint256 owed)
    {
        assembly ("memory-safe") {
            worked := mload(add(reason, 36))
            got := mload(add(reason, 68))
            owed := mload(add(reason, 100))
        }
    }

    /// What a relayer sees of a stranger's deposit on some chain towards the bridge.
    function forge(uint256 output, bytes memory message) private view returns (Pool.Relay memory) {
        Pool.Relay memory relay = waiting;
        (relay.depositor, relay.depositId) = (word(stranger), 1);
        (relay.inputAmount, relay.outputAmount, relay.message) = (output, output, message);
        return relay;
    }

    function fillRefused(Pool.Relay memory relay, bytes4 why) private {
        prepareRelayer(relay);
        vm.prank(relayer);
        vm.expectRevert(why);
        pool(ARBITRUM).fillRelay(relay, BASE, word(relayer));
    }

    function prefill(Source memory source, Destination memory destination, address payer) private {
        vm.chainId(ARBITRUM);
        usdc(ARBITRUM).mint(payer, AMOUNT);
        vm.prank(payer);
        usdc(ARBITRUM).approve(address(filler), AMOUNT);
        bytes32 sourceHash = keccak256(abi.encode(source));
        vm.prank(payer);
        filler.fill(sourceHash, destination.token, recipient, AMOUNT, payer, NOW);
    }
}
