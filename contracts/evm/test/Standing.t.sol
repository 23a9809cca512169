// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {DepositAddress} from "../src/DepositAddress.sol";
import {SettlementBase} from "../src/SettlementBase.sol";
import {StandingFactory, StandingTerms} from "../src/StandingFactory.sol";
import {Source} from "../src/Terms.sol";
import {StandingTestBase} from "./StandingTestBase.sol";
import {CallbackToken, ForcedSender, ReentrantReceiver} from "./Tokens.sol";

contract StandingTest is StandingTestBase {
    uint256 private constant DEPOSIT = 50_000_000;
    bytes32 private constant FIRST = bytes32(uint256(1));

    function setUp() public {
        deployStanding();
    }

    function forward(Source memory source, uint256 amount, bytes32 id) private {
        vm.prank(agent);
        standing.forward(standingTerms(), source, amount, id);
    }

    function recover(address token, uint256 amount, bytes32 id) private {
        vm.prank(agent);
        standing.recover(standingTerms(), token, amount, id);
    }

    function test_a_deposit_is_forwarded_to_its_payment_and_started() public {
        Source memory source = intentOf(address(usdc), DEPOSIT);
        usdc.mint(at(standingTerms()), DEPOSIT);
        forward(source, least(DEPOSIT), FIRST);
        assertEq(usdc.balanceOf(addressOf(source, least(DEPOSIT))), DEPOSIT);
        factory.start(source, destination(standingTerms(), least(DEPOSIT)));
        assertEq(usdc.balanceOf(address(escrow)), DEPOSIT);
    }

    function test_a_payment_that_expires_goes_to_the_recovery_address() public {
        Source memory source = intentOf(address(usdc), DEPOSIT);
        usdc.mint(at(standingTerms()), DEPOSIT);
        forward(source, least(DEPOSIT), FIRST);
        vm.warp(EXPIRY);
        factory.refund(source, destination(standingTerms(), least(DEPOSIT)), address(usdc));
        assertEq(usdc.balanceOf(recovery), DEPOSIT);
    }

    function test_the_same_deposit_leaves_once() public {
        usdc.mint(at(standingTerms()), 2 * DEPOSIT);
        forward(intentOf(address(usdc), DEPOSIT), DEPOSIT, FIRST);
        Source memory other = intentOf(address(usdc), DEPOSIT);
        other.nonce = 8;
        vm.prank(agent);
        vm.expectRevert(StandingFactory.AlreadyLeft.selector);
        standing.forward(standingTerms(), other, DEPOSIT, FIRST);
        vm.prank(agent);
        vm.expectRevert(StandingFactory.AlreadyLeft.selector);
        standing.recover(standingTerms(), address(usdc), DEPOSIT, FIRST);
        bytes32[] memory keys = new bytes32[](2);
        bytes32 hash = keccak256(abi.encode(standingTerms()));
        (keys[0], keys[1]) = (standing.depositHash(hash, FIRST), standing.depositHash(hash, bytes32(0)));
        bool[] memory left = standing.executed(keys);
        assertTrue(left[0] && !left[1]);
    }

    function test_a_token_that_returns_nothing_is_forwarded() public {
        usdt.mint(at(standingTerms()), DEPOSIT);
        Source memory source = intentOf(address(usdt), DEPOSIT);
        forward(source, DEPOSIT, FIRST);
        assertEq(usdt.balanceOf(addressOf(source, DEPOSIT)), DEPOSIT);
    }

    function test_a_fee_on_transfer_token_is_recovered_and_not_forwarded() public {
        fee.mint(at(standingTerms()), DEPOSIT);
        Source memory source = intentOf(address(fee), DEPOSIT);
        address to = addressOf(source, DEPOSIT);
        vm.prank(agent);
        vm.expectRevert(abi.encodeWithSelector(SettlementBase.ReceivedLess.selector, to));
        standing.forward(standingTerms(), source, DEPOSIT, FIRST);
        recover(address(fee), DEPOSIT, FIRST);
        assertEq(fee.balanceOf(recovery), DEPOSIT - DEPOSIT / 100);
    }

    function test_the_recipient_gets_no_less_than_the_highest_fee_leaves() public {
        usdc.mint(at(standingTerms()), DEPOSIT);
        vm.prank(agent);
        vm.expectRevert(
            abi.encodeWithSelector(StandingFactory.AmountTooLow.selector, least(DEPOSIT))
        );
        standing.forward(
            standingTerms(), intentOf(address(usdc), DEPOSIT), least(DEPOSIT) - 1, FIRST
        );
    }

    function test_less_than_the_minimum_is_not_forwarded() public {
        usdc.mint(at(standingTerms()), DEPOSIT);
        Source memory source = intentOf(address(usdc), MINIMUM - 1);
        vm.prank(agent);
        vm.expectRevert(SettlementBase.InvalidTerms.selector);
        standing.forward(standingTerms(), source, MINIMUM, FIRST);
    }

    function test_other_decimals_are_scaled() public {
        StandingTerms memory terms_ = standingTerms();
        terms_.tokens[0].rate = 1e30;
        usdc.mint(at(terms_), DEPOSIT);
        Source memory source = intentOf(address(usdc), DEPOSIT);
        vm.prank(agent);
        vm.expectRevert(
            abi.encodeWithSelector(StandingFactory.AmountTooLow.selector, least(DEPOSIT) * 1e12)
        );
        standing.forward(terms_, source, least(DEPOSIT) * 1e12 - 1, FIRST);
        vm.prank(agent);
        standing.forward(terms_, source, least(DEPOSIT) * 1e12, FIRST);
    }

    // Attacks: nobody moves a deposit elsewhere.

    function test_a_stranger_moves_nothing() public {
        usdc.mint(at(standingTerms()), DEPOSIT);
        vm.prank(stranger);
        vm.expectRevert(SettlementBase.NotAuthorized.selector);
        standing.forward(standingTerms(), intentOf(address(usdc), DEPOSIT), DEPOSIT, FIRST);
        vm.prank(stranger);
        vm.expectRevert(SettlementBase.NotAuthorized.selector);
        standing.recover(standingTerms(), address(usdc), DEPOSIT, FIRST);
        DepositAddress account = DepositAddress(payable(at(standingTerms())));
        forward(intentOf(address(usdc), DEPOSIT), DEPOSIT, FIRST);
        vm.prank(stranger);
        vm.expectRevert(DepositAddress.NotAuthorized.selector);
        account.pay(address(usdc), stranger, 1, 1_000_000);
    }

    function test_terms_of_ones_own_move_only_what_is_at_their_own_address() public {
        usdc.mint(at(standingTerms()), DEPOSIT);
        StandingTerms memory own = standingTerms();
        own.coordinator = stranger;
        Source memory source = intentOf(address(usdc), DEPOSIT);
        source.coordinator = stranger;
        vm.prank(stranger);
        vm.expectRevert(
            abi.encodeWithSelector(StandingFactory.InsufficientBalance.selector, 0, DEPOSIT)
        );
        standing.forward(own, source, DEPOSIT, FIRST);
        // And block nobody else's deposits.
        forward(intentOf(address(usdc), DEPOSIT), DEPOSIT, FIRST);
    }

    function test_an_agent_forwards_to_no_other_terms() public {
        usdc.mint(at(standingTerms()), DEPOSIT);
        Source memory source = intentOf(address(usdc), DEPOSIT);
        source.bridger = agent;
        refused(source, SettlementBase.InvalidTerms.selector);
        source = intentOf(address(usdc), DEPOSIT);
        source.refundTo = agent;
        refused(source, SettlementBase.InvalidTerms.selector);
        source = intentOf(address(usdc), DEPOSIT);
        source.coordinator = agent;
        refused(source, SettlementBase.InvalidTerms.selector);
        source = intentOf(address(usdc), DEPOSIT);
        source.expiry = NOW;
        refused(source, StandingFactory.Expired.selector);
        source.expiry = NOW + 2 days + 1;
        refused(source, SettlementBase.InvalidTerms.selector);
        source = intentOf(address(usdc), DEPOSIT);
        source.chain = block.chainid + 1;
        refused(source, SettlementBase.WrongChain.selector);
        source = intentOf(address(0), DEPOSIT);
        refused(source, SettlementBase.InvalidTerms.selector);
        assertEq(usdc.balanceOf(at(standingTerms())), DEPOSIT);
    }

    function refused(Source memory source, bytes4 reason) private {
        vm.prank(agent);
        vm.expectRevert(reason);
        standing.forward(standingTerms(), source, DEPOSIT, FIRST);
    }

    function test_a_payment_that_was_started_before_is_not_forwarded_to() public {
        Source memory source = intentOf(address(usdc), DEPOSIT);
        usdc.mint(addressOf(source, DEPOSIT), DEPOSIT);
        factory.start(source, destination(standingTerms(), DEPOSIT));
        usdc.mint(at(standingTerms()), DEPOSIT);
        refused(source, SettlementBase.InvalidTerms.selector);
    }

    function test_a_revoked_agent_moves_nothing() public {
        usdc.mint(at(standingTerms()), DEPOSIT);
        vm.prank(coordinator);
        factory.setAgent(agent, false);
        refused(intentOf(address(usdc), DEPOSIT), SettlementBase.NotAuthorized.selector);
    }

    function test_a_zero_recovery_address_is_refused() public {
        StandingTerms memory terms_ = standingTerms();
        terms_.recovery = address(0);
        usdc.mint(at(terms_), DEPOSIT);
        Source memory source = intentOf(address(usdc), DEPOSIT);
        source.refundTo = address(0);
        vm.prank(agent);
        vm.expectRevert(SettlementBase.InvalidTerms.selector);
        standing.forward(terms_, source, DEPOSIT, FIRST);
        vm.prank(agent);
        vm.expectRevert(SettlementBase.InvalidTerms.selector);
        standing.recover(terms_, address(usdc), DEPOSIT, FIRST);
    }

    function test_a_token_cannot_call_back_into_it() public {
        CallbackToken token = new CallbackToken();
        StandingTerms memory terms_ = standingTerms();
        terms_.tokens[0].token = address(token);
        token.mint(at(terms_), 2 * DEPOSIT);
        bytes memory again =
            abi.encodeCall(standing.recoverUnserved, (terms_, address(token)));
        token.onTransfer(address(standing), again);
        vm.prank(agent);
        standing.forward(terms_, intentOf(address(token), DEPOSIT), DEPOSIT, FIRST);
        assertTrue(token.tried());
        assertTrue(token.revertSelector() == SettlementBase.ReentrantCall.selector);
        assertEq(token.balanceOf(at(terms_)), DEPOSIT);
    }

    function test_a_recovery_address_cannot_call_back_into_it() public {
        ReentrantReceiver receiver = new ReentrantReceiver();
        StandingTerms memory terms_ = standingTerms();
        terms_.recovery = address(receiver);
        receiver.set(
            address(standing), abi.encodeCall(standing.recoverUnserved, (terms_, address(0)))
        );
        new ForcedSender{value: 5}(payable(at(terms_)));
        standing.recoverUnserved(terms_, address(0));
        assertTrue(receiver.tried() && !receiver.worked());
        assertTrue(receiver.revertSelector() == SettlementBase.ReentrantCall.selector);
        assertEq(address(receiver).balance, 5);
    }

    // What is not paid out goes to the recovery address.

    function test_anyone_returns_another_token_and_native_coins() public {
        CallbackToken other = new CallbackToken();
        other.mint(at(standingTerms()), 9);
        new ForcedSender{value: 7}(payable(at(standingTerms())));
        vm.prank(stranger);
        standing.recoverUnserved(standingTerms(), address(other));
        vm.prank(stranger);
        standing.recoverUnserved(standingTerms(), address(0));
        assertEq(other.balanceOf(recovery), 9);
        assertEq(recovery.balance, 7);
    }

    function test_nobody_returns_an_accepted_token_before_it_was_flagged_for_a_day() public {
        usdc.mint(at(standingTerms()), DEPOSIT);
        vm.expectRevert(StandingFactory.TooEarly.selector);
        standing.recoverUnserved(standingTerms(), address(usdc));
        standing.flag(standingTerms(), address(usdc));
        vm.warp(NOW + 1 days - 1);
        vm.expectRevert(StandingFactory.TooEarly.selector);
        standing.recoverUnserved(standingTerms(), address(usdc));
        vm.warp(NOW + 1 days);
        vm.prank(stranger);
        standing.recoverUnserved(standingTerms(), address(usdc));
        assertEq(usdc.balanceOf(recovery), DEPOSIT);
        vm.expectRevert(StandingFactory.TooEarly.selector);
        standing.recoverUnserved(standingTerms(), address(usdc));
    }

    function test_an_old_flag_returns_no_later_deposit() public {
        usdc.mint(at(standingTerms()), 3);
        vm.prank(stranger);
        standing.flag(standingTerms(), address(usdc));
        vm.warp(NOW + 1 days);
        usdc.mint(at(standingTerms()), DEPOSIT);
        vm.prank(stranger);
        standing.recoverUnserved(standingTerms(), address(usdc));
        assertEq(usdc.balanceOf(recovery), 3);
        assertEq(usdc.balanceOf(at(standingTerms())), DEPOSIT);
    }

    function test_what_is_forwarded_is_flagged_no_more() public {
        usdc.mint(at(standingTerms()), DEPOSIT);
        standing.flag(standingTerms(), address(usdc));
        forward(intentOf(address(usdc), DEPOSIT), DEPOSIT, FIRST);
        usdc.mint(at(standingTerms()), DEPOSIT);
        vm.warp(NOW + 2 days);
        vm.expectRevert(StandingFactory.TooEarly.selector);
        standing.recoverUnserved(standingTerms(), address(usdc));
    }

    function test_nobody_can_put_a_flag_off() public {
        usdc.mint(at(standingTerms()), DEPOSIT);
        standing.flag(standingTerms(), address(usdc));
        vm.warp(NOW + 1 hours);
        vm.expectRevert(SettlementBase.InvalidTerms.selector);
        standing.flag(standingTerms(), address(usdc));
    }

    function test_on_another_chain_only_an_agent_returns_and_nobody_forwards() public {
        StandingTerms memory terms_ = standingTerms();
        terms_.chain = block.chainid + 1;
        usdc.mint(at(terms_), DEPOSIT);
        vm.expectRevert(SettlementBase.WrongChain.selector);
        standing.recoverUnserved(terms_, address(usdc));
        vm.expectRevert(SettlementBase.WrongChain.selector);
        standing.flag(terms_, address(usdc));
        vm.prank(agent);
        vm.expectRevert(SettlementBase.WrongChain.selector);
        standing.forward(terms_, intentOf(address(usdc), DEPOSIT), DEPOSIT, FIRST);
        vm.prank(stranger);
        vm.expectRevert(SettlementBase.NotAuthorized.selector);
        standing.recover(terms_, address(usdc), DEPOSIT, FIRST);
        vm.prank(agent);
        standing.recover(terms_, address(usdc), DEPOSIT, FIRST);
        assertEq(usdc.balanceOf(recovery), DEPOSIT);
    }

    function test_a_recovery_address_that_refuses_keeps_the_deposit_there() public {
        blocking.mint(at(standingTerms()), DEPOSIT);
        blocking.block_(recovery, true);
        vm.prank(agent);
        vm.expectRevert(
            abi.encodeWithSelector(SettlementBase.TransferFailed.selector, recovery)
        );
        standing.recover(standingTerms(), address(blocking), DEPOSIT, FIRST);
        blocking.block_(recovery, false);
        recover(address(blocking), DEPOSIT, FIRST);
        assertEq(blocking.balanceOf(recovery), DEPOSIT);
    }

    function test_the_address_follows_from_every_term() public view {
        address[] memory found = new address[](9);
        for (uint256 i = 0; i < 9; ++i) {
            StandingTerms memory terms_ = standingTerms();
            if (i == 1) terms_.nonce = 2;
            if (i == 2) terms_.recovery = stranger;
            if (i == 3) terms_.recipient = 3;
            if (i == 4) terms_.maxFeeBps = 101;
            if (i == 5) terms_.tokens[0].minimum = 1;
            if (i == 6) terms_.bridgers[0] = stranger;
            if (i == 7) terms_.destinationToken = 9;
            if (i == 8) terms_.chain = 2;
            found[i] = at(terms_);
            for (uint256 j = 0; j < i; ++j) assertTrue(found[i] != found[j]);
        }
    }

    function testFuzz_the_recipient_never_gets_less(uint96 total, uint96 amount) public {
        usdc.mint(at(standingTerms()), total);
        Source memory source = intentOf(address(usdc), total);
        vm.prank(agent);
        try standing.forward(standingTerms(), source, amount, FIRST) {
            assertTrue(total >= MINIMUM);
            assertTrue(amount >= least(total));
        } catch {
            assertTrue(total < MINIMUM || amount < least(total));
        }
    }
}
