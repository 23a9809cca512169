// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BalanceLens} from "../src/BalanceLens.sol";
import {Escrow} from "../src/Escrow.sol";
import {Filler} from "../src/Filler.sol";
import {SettlementBase} from "../src/SettlementBase.sol";
import {Source} from "../src/Terms.sol";
import {TestBase} from "./TestBase.sol";
import {
    GasBurningReceiver,
    NoReturnToken,
    ReentrantReceiver,
    RevertingReceiver,
    StandardToken
} from "./Tokens.sol";

contract EscrowAndFillerTest is TestBase {
    function setUp() public {
        deployContracts();
    }

    function test_a_collected_deposit_is_settled_once() public {
        Source memory source = startedIntent(address(usdc));
        settle(source, payouts(relayer, OUT, treasury, 60_000), 0);
        assertEq(usdc.balanceOf(relayer), OUT);
        assertEq(usdc.balanceOf(treasury), 60_000);
        settle(source, payouts(relayer, 1, treasury, 0), Escrow.AlreadySettled.selector);
        assertEq(usdc.balanceOf(address(escrow)), 40_000);
        assertEq(escrow.retained(coordinator, address(usdc)), 40_000);
    }

    function test_only_the_coordinator_withdraws_retained_amounts() public {
        Source memory source = startedIntent(address(0));
        settle(source, payouts(refundTo, TOTAL - 10, treasury, 0), 0);
        vm.prank(stranger);
        vm.expectRevert(Escrow.ExceedsAvailable.selector);
        escrow.withdraw(address(0), stranger, 1);
        vm.startPrank(coordinator);
        vm.expectRevert(Escrow.ExceedsAvailable.selector);
        escrow.withdraw(address(0), treasury, 11);
        escrow.withdraw(address(0), treasury, 10);
        vm.expectRevert(Escrow.ExceedsAvailable.selector);
        escrow.withdraw(address(0), treasury, 1);
        vm.stopPrank();
        assertEq(treasury.balance, 10);
        assertEq(address(escrow).balance, 0);
    }

    function test_only_the_coordinator_and_its_agents_settle() public {
        Source memory source = startedIntent(address(usdc));
        bytes32 dest = destHash(address(usdc));
        Escrow.Payout[] memory all = payouts(stranger, TOTAL, treasury, 0);
        vm.prank(stranger);
        vm.expectRevert(SettlementBase.NotAuthorized.selector);
        escrow.settle(source, dest, all);
        vm.prank(stranger);
        factory.setAgent(stranger, true);
        vm.prank(stranger);
        vm.expectRevert(SettlementBase.NotAuthorized.selector);
        escrow.settle(source, dest, all);
        vm.prank(coordinator);
        factory.setAgent(relayer, true);
        vm.prank(relayer);
        escrow.settle(source, dest, payouts(relayer, TOTAL, treasury, 0));
        assertEq(usdc.balanceOf(relayer), TOTAL);
    }

    function test_an_intent_that_was_not_started_is_not_settled() public {
        startedIntent(address(usdc));
        Source memory source = terms(address(usdc));
        source.nonce = 8;
        settle(source, payouts(relayer, TOTAL, treasury, 0), Escrow.NotStarted.selector);
        deposit(source, TOTAL);
        source.bridger = stranger;
        settle(source, payouts(relayer, TOTAL, treasury, 0), SettlementBase.InvalidTerms.selector);
        source.chain = 10;
        settle(source, payouts(relayer, TOTAL, treasury, 0), SettlementBase.WrongChain.selector);
    }

    function test_payouts_cannot_exceed_the_total() public {
        Source memory source = startedIntent(address(usdc));
        usdc.mint(address(escrow), TOTAL);
        settle(source, payouts(relayer, TOTAL, treasury, 1), Escrow.ExceedsAvailable.selector);
        settle(source, payouts(relayer, TOTAL + 1, treasury, 0), Escrow.ExceedsAvailable.selector);
        settle(source, payouts(relayer, 0, treasury, 0), SettlementBase.NothingToTransfer.selector);
    }

    function test_a_receiver_of_the_escrow_cannot_reenter() public {
        Source memory source = startedIntent(address(0));
        ReentrantReceiver calling = new ReentrantReceiver();
        Escrow.Payout[] memory paid = payouts(address(calling), TOTAL, treasury, 0);
        vm.prank(coordinator);
        factory.setAgent(address(calling), true);
        bytes32 dest = destHash(address(0));
        calling.set(address(escrow), abi.encodeCall(escrow.settle, (source, dest, paid)));
        settle(source, paid, 0);
        assertTrue(
            calling.tried() && calling.revertSelector() == SettlementBase.ReentrantCall.selector
        );
    }

    function test_a_recipient_is_paid_once() public {
        (bytes32 hash, bytes32 intentHash) = prepareFill(address(usdc), 2 * OUT);
        fill(hash, address(usdc), OUT, 0, 0);
        assertEq(usdc.balanceOf(recipient), OUT);
        assertTrue(filler.filled(intentHash));
        fill(hash, address(usdc), OUT, 0, Filler.AlreadyFilled.selector);
        assertEq(usdc.balanceOf(recipient), OUT);
    }

    function test_a_fill_with_other_terms_marks_nothing() public {
        (bytes32 hash, bytes32 intentHash) = prepareFill(address(usdc), 2 * OUT);
        fill(hash, address(usdc), 1, 0, 0);
        assertTrue(!filler.filled(intentHash));
        vm.chainId(10);
        fill(hash, address(usdc), OUT, 0, 0);
        assertTrue(!filler.filled(intentHash));
    }

    function test_the_native_coin_is_paid_by_exact_value() public {
        (bytes32 hash,) = prepareFill(address(0), 3 * OUT);
        fill(hash, address(0), OUT, OUT - 1, Filler.WrongValue.selector);
        fill(hash, address(0), OUT, OUT, 0);
        assertEq(recipient.balance, OUT);
        (hash,) = prepareFill(address(usdc), OUT);
        fill(hash, address(usdc), OUT, 1, Filler.WrongValue.selector);
        assertEq(address(filler).balance, 0);
    }

    function test_a_token_that_returns_nothing_is_paid() public {
        (bytes32 hash,) = prepareFill(address(usdt), OUT);
        fill(hash, address(usdt), OUT, 0, 0);
        assertEq(usdt.balanceOf(recipient), OUT);
    }

    function test_a_fill_that_arrives_short_or_is_refused_marks_nothing() public {
        (bytes32 hash, bytes32 intentHash) = prepareFill(address(fee), OUT);
        fill(hash, address(fee), OUT, 0, SettlementBase.ReceivedLess.selector);
        assertTrue(!filler.filled(intentHash));
        (hash, intentHash) = prepareFill(address(blocking), OUT);
        blocking.block_(recipient, true);
        fill(hash, address(blocking), OUT, 0, SettlementBase.TransferFailed.selector);
        assertTrue(!filler.filled(intentHash));
        (hash, intentHash) = prepareFill(address(usdc), OUT - 1);
        fill(hash, address(usdc), OUT, 0, SettlementBase.TransferFailed.selector);
        recipient = address(new GasBurningReceiver());
        (hash, intentHash) = prepareFill(address(0), OUT);
        fill(hash, address(0), OUT, OUT, SettlementBase.TransferFailed.selector);
        fill(hash, address(0), 0, 0, SettlementBase.InvalidTerms.selector);
    }

    function test_no_receiver_decides_what_a_transaction_costs() public {
        recipient = address(new GasBurningReceiver());
        (bytes32 hash,) = prepareFill(address(0), OUT);
        uint256 before = gasleft();
        fill(hash, address(0), OUT, OUT, SettlementBase.TransferFailed.selector);
        assertTrue(before - gasleft() < 450_000);
        Source memory source = startedIntent(address(0));
        before = gasleft();
        vm.prank(coordinator);
        try escrow.settle(source, destHash(address(0)), payouts(recipient, TOTAL, treasury, 0)) {
            assertTrue(false);
        } catch {}
        assertTrue(before - gasleft() < 450_000);
    }

    function test_a_relayer_can_pay_itself() public {
        recipient = relayer;
        (bytes32 hash, bytes32 intentHash) = prepareFill(address(usdc), OUT);
        fill(hash, address(usdc), OUT, 0, 0);
        assertTrue(filler.filled(intentHash));
    }

    function test_a_recipient_cannot_reenter() public {
        ReentrantReceiver calling = new ReentrantReceiver();
        recipient = address(calling);
        (bytes32 hash,) = prepareFill(address(0), OUT);
        vm.deal(recipient, OUT);
        calling.set(
            address(filler), abi.encodeCall(filler.fill, (hash, address(0), recipient, OUT))
        );
        fill(hash, address(0), OUT, OUT, 0);
        assertTrue(
            calling.tried() && calling.revertSelector() == SettlementBase.ReentrantCall.selector
        );
    }

    function test_many_markers_are_read_at_once() public {
        Source memory source = startedIntent(address(usdc));
        bytes32[] memory hashes = new bytes32[](3);
        hashes[1] = intentHashOf(source, destHash(address(usdc)));
        assertTrue(
            factory.executed(hashes)[1] && !factory.executed(hashes)[0]
                && !factory.executed(hashes)[2]
        );
        assertTrue(!escrow.executed(hashes)[1] && !filler.executed(hashes)[1]);
        settle(source, payouts(relayer, TOTAL, treasury, 0), 0);
        assertTrue(escrow.executed(hashes)[1]);
    }

    function test_the_lens_reads_hundreds_of_balances() public {
        address[] memory owners = new address[](500);
        for (uint256 i = 0; i < 500; ++i) {
            owners[i] = address(uint160(1000 + i));
            usdc.mint(owners[i], i);
            vm.deal(owners[i], 2 * i);
        }
        bytes memory tokens = address(new BalanceLens(address(usdc), owners)).code;
        bytes memory coins = address(new BalanceLens(address(0), owners)).code;
        assertEq(tokens.length, 501 * 32);
        for (uint256 i = 0; i < 500; ++i) {
            assertEq(word(tokens, i + 1), i);
            assertEq(word(coins, i + 1), 2 * i);
        }
        assertEq(word(tokens, 0), NOW);
        vm.expectRevert();
        new BalanceLens(address(0xdead), owners);
    }

    function testFuzz_settling_accounts_for_every_unit(uint96 first, uint96 second) public {
        Source memory source = startedIntent(address(usdc));
        uint256 both = uint256(first) + second;
        bool fits = first != 0 && both <= TOTAL;
        bytes32 dest = destHash(address(usdc));
        vm.prank(coordinator);
        try escrow.settle(source, dest, payouts(relayer, first, treasury, second)) {
            assertTrue(fits);
            assertEq(escrow.retained(coordinator, address(usdc)), TOTAL - both);
            assertEq(usdc.balanceOf(address(escrow)), TOTAL - both);
        } catch {
            assertTrue(!fits);
        }
    }

    function testFuzz_a_fill_marks_what_it_paid(bytes32 hash, uint96 amount, address to) public {
        if (amount == 0 || to == address(0) || to == relayer) return;
        recipient = to;
        uint256 before = usdc.balanceOf(to);
        prepareFill(address(usdc), amount);
        fill(hash, address(usdc), amount, 0, 0);
        assertEq(usdc.balanceOf(to), before + amount);
        bytes32 dest = keccak256(abi.encode(block.chainid, address(usdc), to, uint256(amount)));
        assertTrue(filler.filled(keccak256(abi.encodePacked(hash, dest))));
    }

    function startedIntent(address token) private returns (Source memory source) {
        source = terms(token);
        deposit(source, TOTAL);
        start(source);
    }

    function settle(Source memory source, Escrow.Payout[] memory paid, bytes4 expectedError)
        private
    {
        bytes32 dest = destHash(source.token);
        vm.prank(coordinator);
        if (expectedError != 0) vm.expectRevert(expectedError);
        escrow.settle(source, dest, paid);
    }

    /// Give the relayer `amount` and the filler its allowance. Returns source hash and intent hash.
    function prepareFill(address token, uint256 amount)
        private
        returns (bytes32 hash, bytes32 intentHash)
    {
        if (token != address(0)) {
            vm.prank(relayer);
            NoReturnToken(token).approve(address(filler), type(uint256).max);
        }
        mint(token, relayer, amount);
        hash = sourceHash(terms(address(usdc)));
        bytes32 dest = keccak256(abi.encode(block.chainid, token, recipient, OUT));
        intentHash = keccak256(abi.encodePacked(hash, dest));
    }

    function fill(bytes32 hash, address token, uint256 amount, uint256 value, bytes4 expectedError)
        private
    {
        vm.prank(relayer);
        if (
            expectedError == SettlementBase.ReceivedLess.selector
                || expectedError == SettlementBase.TransferFailed.selector
        ) {
            vm.expectRevert(abi.encodeWithSelector(expectedError, recipient));
        } else if (expectedError != 0) {
            vm.expectRevert(expectedError);
        }
        filler.fill{value: value}(hash, token, recipient, amount);
    }

    function word(bytes memory from, uint256 index) private pure returns (uint256 result) {
        assembly {
            result := mload(add(add(from, 32), mul(index, 32)))
        }
    }
}
