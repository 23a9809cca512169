// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BridgeBase} from "../src/BridgeBase.sol";
import {CctpChains} from "../src/CctpChains.sol";
import {SettlementBase} from "../src/SettlementBase.sol";
import {Destination, Source} from "../src/Terms.sol";
import {CctpTestBase} from "./CctpTestBase.sol";
import {StandardToken} from "./Tokens.sol";

/// The source chain's end of CctpBridge: what leaves it, when and where to.
contract CctpSourceTest is CctpTestBase {
    function setUp() public {
        deployContracts();
    }

    function test_a_fast_payment_burns_the_total_towards_itself_with_the_terms() public {
        (Source memory source, Destination memory destination) = terms(fast);
        checkBurn(source, destination, FAST, TOTAL - AMOUNT);
    }

    function test_a_standard_payment_asks_for_finality() public {
        (Source memory source, Destination memory destination) = terms(standard);
        checkBurn(source, destination, FINAL, TOTAL - AMOUNT);
    }

    function test_circle_is_offered_at_most_a_fivehundredth_of_the_deposit() public {
        (Source memory source, Destination memory destination) = terms(fast);
        destination.amount = TOTAL / 2;
        checkBurn(source, destination, FAST, TOTAL / 500);
    }

    function test_nothing_of_the_recipients_amount_is_offered_to_circle() public {
        (Source memory source, Destination memory destination) = terms(fast);
        destination.amount = TOTAL;
        checkBurn(source, destination, FAST, 0);
    }

    function test_a_deposit_that_a_stranger_started_is_sent_all_the_same() public {
        (Source memory source, Destination memory destination) = terms(fast);
        pay(source, destination);
        vm.prank(stranger);
        factory.start(source, destHash(destination));
        assertEq(usdc(BASE).balanceOf(address(fast)), TOTAL);
        send(source, destination);
        assertEq(usdc(BASE).balanceOf(address(fast)), 0);
    }

    function test_a_deposit_is_sent_once() public {
        (Source memory source, Destination memory destination) = terms(fast);
        paidAndSent(source, destination);
        on(BASE);
        usdc(BASE).mint(address(fast), TOTAL);
        pay(source, destination);
        refused(source, destination, BridgeBase.AlreadySent.selector);
        giveBackRefused(coordinator, source, destination, BridgeBase.AlreadySent.selector);
    }

    function test_nothing_is_sent_from_expiry_on() public {
        (Source memory source, Destination memory destination) = terms(fast);
        pay(source, destination);
        factory.start(source, destHash(destination));
        vm.warp(EXPIRY);
        refused(source, destination, BridgeBase.Expired.selector);
        fast.giveBack(source, destHash(destination));
        assertEq(usdc(BASE).balanceOf(refundTo), TOTAL);
    }

    function test_anyone_gives_back_from_expiry_on() public {
        (Source memory source, Destination memory destination) = started();
        giveBackRefused(stranger, source, destination, BridgeBase.TooEarly.selector);
        vm.warp(EXPIRY - 1);
        giveBackRefused(stranger, source, destination, BridgeBase.TooEarly.selector);
        vm.warp(EXPIRY);
        vm.prank(stranger);
        fast.giveBack(source, destHash(destination));
        assertEq(usdc(BASE).balanceOf(refundTo), TOTAL);
        assertEq(usdc(BASE).balanceOf(address(fast)), 0);
    }

    function test_the_coordinator_and_its_agents_give_back_before() public {
        (Source memory source, Destination memory destination) = started();
        vm.prank(stranger);
        factory.setAgent(stranger, true);
        giveBackRefused(stranger, source, destination, BridgeBase.TooEarly.selector);
        vm.prank(coordinator);
        factory.setAgent(relayer, true);
        vm.prank(relayer);
        fast.giveBack(source, destHash(destination));
        assertEq(usdc(BASE).balanceOf(refundTo), TOTAL);
        refused(source, destination, BridgeBase.AlreadyGivenBack.selector);
        giveBackRefused(coordinator, source, destination, BridgeBase.AlreadyGivenBack.selector);
    }

    function test_only_what_was_collected_is_given_back() public {
        (Source memory source, Destination memory destination) = terms(fast);
        pay(source, destination);
        usdc(BASE).mint(address(fast), TOTAL);
        vm.warp(EXPIRY);
        giveBackRefused(coordinator, source, destination, BridgeBase.NotStarted.selector);
    }

    function test_a_refund_that_is_refused_stays_at_the_deposit_address() public {
        (Source memory source, Destination memory destination) = started();
        usdc(BASE).blacklist(refundTo);
        vm.warp(EXPIRY);
        fast.giveBack(source, destHash(destination));
        assertEq(usdc(BASE).balanceOf(depositOf(source, destination)), TOTAL);
        usdc(BASE).unBlacklist(refundTo);
        factory.refund(source, destHash(destination), source.token);
        assertEq(usdc(BASE).balanceOf(refundTo), TOTAL);
    }

    function test_a_give_back_with_too_little_gas_for_the_refund_loses_nothing() public {
        uint256 seen;
        for (uint256 gas_ = 60_000; gas_ < 260_000; gas_ += 5_000) {
            (Source memory source, Destination memory destination) = terms(fast);
            (source.nonce, destination.recipient) = (gas_, address(uint160(gas_)));
            pay(source, destination);
            factory.start(source, destHash(destination));
            vm.prank(coordinator);
            try fast.giveBack{gas: gas_}(source, destHash(destination)) {
                seen += usdc(BASE).balanceOf(depositOf(source, destination));
            } catch {
                seen += TOTAL;
            }
        }
        assertEq(usdc(BASE).balanceOf(refundTo) + seen, 40 * TOTAL);
    }

    function test_money_waits_while_the_deposit_address_is_blacklisted() public {
        (Source memory source, Destination memory destination) = started();
        address deposit = depositOf(source, destination);
        usdc(BASE).blacklist(deposit);
        vm.warp(EXPIRY);
        vm.expectRevert(
            abi.encodeWithSelector(SettlementBase.TransferFailed.selector, deposit)
        );
        fast.giveBack(source, destHash(destination));
        usdc(BASE).unBlacklist(deposit);
        fast.giveBack(source, destHash(destination));
        assertEq(usdc(BASE).balanceOf(refundTo), TOTAL);
    }

    function test_a_blacklisted_bridge_collects_nothing_and_the_payer_is_refunded() public {
        (Source memory source, Destination memory destination) = terms(fast);
        pay(source, destination);
        usdc(BASE).blacklist(address(fast));
        vm.expectRevert();
        fast.startAndBridge(source, destination);
        vm.warp(EXPIRY);
        factory.refund(source, destHash(destination), source.token);
        assertEq(usdc(BASE).balanceOf(refundTo), TOTAL);
    }

    function test_what_circle_refuses_leaves_the_deposit_where_it_is() public {
        (Source memory source, Destination memory destination) = terms(fast);
        pay(source, destination);
        transmitter.pause();
        circleRefuses(source, destination, "Pausable: paused");
        transmitter.unpause();
        messenger.denylist(address(fast));
        circleRefuses(source, destination, "Denylistable: account is on denylist");
        messenger.unDenylist(address(fast));
        minter.setBurnLimit(TOTAL - 1);
        circleRefuses(source, destination, "Burn amount exceeds per tx limit");
        minter.setBurnLimit(TOTAL);
        messenger.setMinFee(20_000);
        circleRefuses(source, destination, "Insufficient max fee");
        messenger.setMinFee(0);
        send(source, destination);
    }

    function test_terms_that_the_bridge_cannot_keep_are_refused() public {
        (Source memory source, Destination memory destination) = terms(fast);
        source.refundTo = address(0);
        termsRefused(source, destination);
        (source, destination) = terms(fast);
        source.total = destination.amount - 1;
        termsRefused(source, destination);
        (source, destination) = terms(fast);
        destination.amount = 0;
        termsRefused(source, destination);
        (source, destination) = terms(fast);
        destination.recipient = address(0);
        termsRefused(source, destination);
        (source, destination) = terms(fast);
        destination.recipient = address(fast);
        termsRefused(source, destination);
        (source, destination) = terms(fast);
        destination.token = source.token;
        termsRefused(source, destination);
        (source, destination) = terms(fast);
        (destination.chain, destination.token) = (source.chain, source.token);
        termsRefused(source, destination);
        (source, destination) = terms(fast);
        source.token = address(new StandardToken());
        termsRefused(source, destination);
        (source, destination) = terms(fast);
        source.token = address(0);
        termsRefused(source, destination);
        (source, destination) = terms(fast);
        destination.chain = 84532;
        destination.token = CctpChains.find(84532).usdc;
        termsRefused(source, destination);
    }

    function test_an_unknown_chain_is_refused() public {
        (Source memory source, Destination memory destination) = terms(fast);
        pay(source, destination);
        destination.chain = 56;
        vm.expectRevert(abi.encodeWithSelector(CctpChains.UnknownChain.selector, 56));
        fast.startAndBridge(source, destination);
        (source, destination) = terms(fast);
        on(ARBITRUM);
        refused(source, destination, SettlementBase.WrongChain.selector);
    }

    function test_an_instance_refuses_the_intents_of_the_other() public {
        (Source memory source, Destination memory destination) = terms(fast);
        pay(source, destination);
        vm.expectRevert(SettlementBase.InvalidTerms.selector);
        standard.startAndBridge(source, destination);
        factory.start(source, destHash(destination));
        usdc(BASE).mint(address(standard), TOTAL);
        vm.expectRevert(SettlementBase.InvalidTerms.selector);
        standard.startAndBridge(source, destination);
        vm.warp(EXPIRY);
        vm.expectRevert(SettlementBase.InvalidTerms.selector);
        standard.giveBack(source, destHash(destination));
        assertEq(usdc(BASE).balanceOf(address(standard)), TOTAL);
    }

    function test_many_states_are_read_at_once() public {
        (Source memory source, Destination memory destination) = terms(fast);
        bytes memory message = paidAndSent(source, destination);
        deliver(fast, message, 0);
        bytes32[] memory hashes = new bytes32[](2);
        hashes[1] = hashOf(source, destination);
        (uint8[] memory spent, uint8[] memory arrived) = fast.statesOf(hashes);
        assertEq(spent[0] + arrived[0], 0);
        assertTrue(spent[1] == 1 && arrived[1] == 1);
    }

    function testFuzz_a_burn_offers_no_more_than_it_may(uint64 total, uint64 amount) public {
        (Source memory source, Destination memory destination) = terms(fast);
        total = uint64(total % BURN_LIMIT + 1);
        amount = amount % total + 1;
        (source.total, destination.amount) = (total, amount);
        uint256 most = uint256(total) / 500;
        checkBurn(source, destination, FAST, total - amount < most ? total - amount : most);
    }

    function checkBurn(
        Source memory source,
        Destination memory destination,
        uint32 finality,
        uint256 maxFee
    ) private {
        usdc(BASE).mint(source.bridger, 1); // Somebody's gift stays where it is.
        bytes memory message = paidAndSent(source, destination);
        bytes32 self = bytes32(uint256(uint160(source.bridger)));
        bytes32 peer = bytes32(uint256(uint160(address(messenger))));
        bytes memory head = abi.encodePacked(uint32(1), uint32(6), uint32(3), bytes32(0));
        head = abi.encodePacked(head, peer, peer, self, finality, uint32(0));
        bytes32 token = bytes32(uint256(uint160(source.token)));
        bytes memory body = abi.encodePacked(uint32(1), token, self, source.total, self, maxFee);
        body = abi.encodePacked(body, new bytes(64), abi.encode(source, destination));
        assertTrue(keccak256(message) == keccak256(abi.encodePacked(head, body)));
        assertEq(usdc(BASE).balanceOf(source.bridger), 1);
        assertEq(usdc(BASE).allowance(source.bridger, address(messenger)), 0);
    }

    function started() private returns (Source memory source, Destination memory destination) {
        (source, destination) = terms(fast);
        pay(source, destination);
        factory.start(source, destHash(destination));
    }

    function refused(Source memory source, Destination memory destination, bytes4 why) private {
        vm.expectRevert(why);
        fast.startAndBridge(source, destination);
    }

    function termsRefused(Source memory source, Destination memory destination) private {
        if (source.token == address(usdc(BASE))) pay(source, destination);
        refused(source, destination, SettlementBase.InvalidTerms.selector);
    }

    function circleRefuses(Source memory source, Destination memory destination, bytes memory why)
        private
    {
        vm.expectRevert(why);
        fast.startAndBridge(source, destination);
        assertEq(usdc(BASE).balanceOf(depositOf(source, destination)), TOTAL);
    }

    function giveBackRefused(
        address caller,
        Source memory source,
        Destination memory destination,
        bytes4 why
    ) private {
        vm.prank(caller);
        vm.expectRevert(why);
        fast.giveBack(source, destHash(destination));
    }
}
