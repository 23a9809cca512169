// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BalanceLens} from "../src/BalanceLens.sol";
import {Escrow} from "../src/Escrow.sol";
import {Filler} from "../src/Filler.sol";
import {Guarded} from "../src/Guarded.sol";
import {Source} from "../src/Terms.sol";
import {Cheats} from "./Cheats.sol";
import {Burning, Calling, Plain, Refusing, Silent} from "./Tokens.sol";

contract PayingTest is Cheats {
    function setUp() public {
        prepare();
    }

    function test_what_was_collected_leaves_once() public {
        Source memory source = begun(address(usdc));
        settle(source, payouts(relayer, OUT, treasury, 60_000), 0);
        same(usdc.balanceOf(relayer), OUT);
        same(usdc.balanceOf(treasury), 60_000);
        settle(source, payouts(relayer, 1, treasury, 0), Escrow.AlreadySettled.selector);
        same(usdc.balanceOf(address(escrow)), 40_000);
        same(escrow.kept(coordinator, address(usdc)), 40_000);
    }

    function test_what_stayed_is_the_coordinators_alone() public {
        Source memory source = begun(address(0));
        settle(source, payouts(refundTo, TOTAL - 10, treasury, 0), 0);
        vm.prank(stranger);
        vm.expectRevert(Escrow.TooMuch.selector);
        escrow.withdraw(address(0), stranger, 1);
        vm.startPrank(coordinator);
        vm.expectRevert(Escrow.TooMuch.selector);
        escrow.withdraw(address(0), treasury, 11);
        escrow.withdraw(address(0), treasury, 10);
        vm.expectRevert(Escrow.TooMuch.selector);
        escrow.withdraw(address(0), treasury, 1);
        vm.stopPrank();
        same(treasury.balance, 10);
        same(address(escrow).balance, 0);
    }

    function test_only_the_coordinator_and_its_agents_settle() public {
        Source memory source = begun(address(usdc));
        bytes32 dest = destHash(address(usdc));
        Escrow.Payout[] memory all = payouts(stranger, TOTAL, treasury, 0);
        vm.prank(stranger);
        vm.expectRevert(Guarded.NotAllowed.selector);
        escrow.settle(source, dest, all);
        vm.prank(stranger);
        factory.setAgent(stranger, true);
        vm.prank(stranger);
        vm.expectRevert(Guarded.NotAllowed.selector);
        escrow.settle(source, dest, all);
        vm.prank(coordinator);
        factory.setAgent(relayer, true);
        vm.prank(relayer);
        escrow.settle(source, dest, payouts(relayer, TOTAL, treasury, 0));
        same(usdc.balanceOf(relayer), TOTAL);
    }

    function test_what_was_not_started_is_not_settled() public {
        begun(address(usdc));
        Source memory source = terms(address(usdc));
        source.nonce = 8;
        settle(source, payouts(relayer, TOTAL, treasury, 0), Escrow.NotStarted.selector);
        deposit(source, TOTAL);
        source.bridger = stranger;
        settle(source, payouts(relayer, TOTAL, treasury, 0), Guarded.BadTerms.selector);
        source.chain = 10;
        settle(source, payouts(relayer, TOTAL, treasury, 0), Guarded.WrongChain.selector);
    }

    function test_no_more_leaves_than_was_collected() public {
        Source memory source = begun(address(usdc));
        usdc.mint(address(escrow), TOTAL);
        settle(source, payouts(relayer, TOTAL, treasury, 1), Escrow.TooMuch.selector);
        settle(source, payouts(relayer, TOTAL + 1, treasury, 0), Escrow.TooMuch.selector);
        settle(source, payouts(relayer, 0, treasury, 0), Guarded.NothingLeft.selector);
    }

    function test_who_is_paid_by_the_escrow_cannot_call_back() public {
        Source memory source = begun(address(0));
        Calling calling = new Calling();
        Escrow.Payout[] memory paid = payouts(address(calling), TOTAL, treasury, 0);
        vm.prank(coordinator);
        factory.setAgent(address(calling), true);
        bytes32 dest = destHash(address(0));
        calling.set(address(escrow), abi.encodeCall(escrow.settle, (source, dest, paid)));
        settle(source, paid, 0);
        yes(calling.tried() && calling.why() == Guarded.Entered.selector);
    }

    function test_a_recipient_is_paid_once() public {
        (bytes32 hash, bytes32 key) = stock(address(usdc), 2 * OUT);
        fill(hash, address(usdc), OUT, 0, 0);
        same(usdc.balanceOf(recipient), OUT);
        yes(filler.filled(key));
        fill(hash, address(usdc), OUT, 0, Filler.AlreadyFilled.selector);
        same(usdc.balanceOf(recipient), OUT);
    }

    function test_other_terms_mark_nothing() public {
        (bytes32 hash, bytes32 key) = stock(address(usdc), 2 * OUT);
        fill(hash, address(usdc), 1, 0, 0);
        yes(!filler.filled(key));
        vm.chainId(10);
        fill(hash, address(usdc), OUT, 0, 0);
        yes(!filler.filled(key));
    }

    function test_the_native_coin_is_paid_by_exact_value() public {
        (bytes32 hash,) = stock(address(0), 3 * OUT);
        fill(hash, address(0), OUT, OUT - 1, Filler.WrongValue.selector);
        fill(hash, address(0), OUT, OUT, 0);
        same(recipient.balance, OUT);
        (hash,) = stock(address(usdc), OUT);
        fill(hash, address(usdc), OUT, 1, Filler.WrongValue.selector);
        same(address(filler).balance, 0);
    }

    function test_a_token_that_answers_nothing_is_paid() public {
        (bytes32 hash,) = stock(address(usdt), OUT);
        fill(hash, address(usdt), OUT, 0, 0);
        same(usdt.balanceOf(recipient), OUT);
    }

    function test_a_fill_that_arrives_short_or_is_refused_marks_nothing() public {
        (bytes32 hash, bytes32 key) = stock(address(fee), OUT);
        fill(hash, address(fee), OUT, 0, Guarded.ReceivedLess.selector);
        yes(!filler.filled(key));
        (hash, key) = stock(address(blocking), OUT);
        blocking.block_(recipient, true);
        fill(hash, address(blocking), OUT, 0, Guarded.Refused.selector);
        yes(!filler.filled(key));
        (hash, key) = stock(address(usdc), OUT - 1);
        fill(hash, address(usdc), OUT, 0, Guarded.Refused.selector);
        recipient = address(new Burning());
        (hash, key) = stock(address(0), OUT);
        fill(hash, address(0), OUT, OUT, Guarded.Refused.selector);
        fill(hash, address(0), 0, 0, Guarded.BadTerms.selector);
    }

    function test_no_receiver_decides_what_a_transaction_costs() public {
        recipient = address(new Burning());
        (bytes32 hash,) = stock(address(0), OUT);
        uint256 before = gasleft();
        fill(hash, address(0), OUT, OUT, Guarded.Refused.selector);
        yes(before - gasleft() < 450_000);
        Source memory source = begun(address(0));
        before = gasleft();
        vm.prank(coordinator);
        try escrow.settle(source, destHash(address(0)), payouts(recipient, TOTAL, treasury, 0)) {
            yes(false);
        } catch {}
        yes(before - gasleft() < 450_000);
    }

    function test_a_relayer_may_pay_himself() public {
        recipient = relayer;
        (bytes32 hash, bytes32 key) = stock(address(usdc), OUT);
        fill(hash, address(usdc), OUT, 0, 0);
        yes(filler.filled(key));
    }

    function test_a_recipient_cannot_call_back() public {
        Calling calling = new Calling();
        recipient = address(calling);
        (bytes32 hash,) = stock(address(0), OUT);
        vm.deal(recipient, OUT);
        calling.set(
            address(filler), abi.encodeCall(filler.fill, (hash, address(0), recipient, OUT))
        );
        fill(hash, address(0), OUT, OUT, 0);
        yes(calling.tried() && calling.why() == Guarded.Entered.selector);
    }

    function test_many_markers_are_read_at_once() public {
        Source memory source = begun(address(usdc));
        bytes32[] memory keys = new bytes32[](3);
        keys[1] = keyOf(source, destHash(address(usdc)));
        yes(factory.used(keys)[1] && !factory.used(keys)[0] && !factory.used(keys)[2]);
        yes(!escrow.used(keys)[1] && !filler.used(keys)[1]);
        settle(source, payouts(relayer, TOTAL, treasury, 0), 0);
        yes(escrow.used(keys)[1]);
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
        same(tokens.length, 501 * 32);
        for (uint256 i = 0; i < 500; ++i) {
            same(word(tokens, i + 1), i);
            same(word(coins, i + 1), 2 * i);
        }
        same(word(tokens, 0), NOW);
        vm.expectRevert();
        new BalanceLens(address(0xdead), owners);
    }

    function testFuzz_settling_explains_every_unit(uint96 first, uint96 second) public {
        Source memory source = begun(address(usdc));
        uint256 both = uint256(first) + second;
        bool fits = first != 0 && both <= TOTAL;
        bytes32 dest = destHash(address(usdc));
        vm.prank(coordinator);
        try escrow.settle(source, dest, payouts(relayer, first, treasury, second)) {
            yes(fits);
            same(escrow.kept(coordinator, address(usdc)), TOTAL - both);
            same(usdc.balanceOf(address(escrow)), TOTAL - both);
        } catch {
            yes(!fits);
        }
    }

    function testFuzz_a_fill_marks_what_it_paid(bytes32 hash, uint96 units, address to) public {
        if (units == 0 || to == address(0) || to == relayer) return;
        recipient = to;
        uint256 before = usdc.balanceOf(to);
        stock(address(usdc), units);
        fill(hash, address(usdc), units, 0, 0);
        same(usdc.balanceOf(to), before + units);
        bytes32 dest = keccak256(abi.encode(block.chainid, address(usdc), to, uint256(units)));
        yes(filler.filled(keccak256(abi.encodePacked(hash, dest))));
    }

    function begun(address token) private returns (Source memory source) {
        source = terms(token);
        deposit(source, TOTAL);
        start(source);
    }

    function settle(Source memory source, Escrow.Payout[] memory paid, bytes4 refusal) private {
        bytes32 dest = destHash(source.token);
        vm.prank(coordinator);
        if (refusal != 0) vm.expectRevert(refusal);
        escrow.settle(source, dest, paid);
    }

    /// The relayer holds `units` and allows the filler to take them; the hash and key of the intent.
    function stock(address token, uint256 units) private returns (bytes32 hash, bytes32 key) {
        if (token != address(0)) {
            vm.prank(relayer);
            Silent(token).approve(address(filler), type(uint256).max);
        }
        give(token, relayer, units);
        hash = sourceHash(terms(address(usdc)));
        bytes32 dest = keccak256(abi.encode(block.chainid, token, recipient, OUT));
        key = keccak256(abi.encodePacked(hash, dest));
    }

    function fill(bytes32 hash, address token, uint256 units, uint256 value, bytes4 refusal)
        private
    {
        vm.prank(relayer);
        if (refusal == Guarded.ReceivedLess.selector || refusal == Guarded.Refused.selector) {
            vm.expectRevert(abi.encodeWithSelector(refusal, recipient));
        } else if (refusal != 0) {
            vm.expectRevert(refusal);
        }
        filler.fill{value: value}(hash, token, recipient, units);
    }

    function word(bytes memory from, uint256 index) private pure returns (uint256 found) {
        assembly {
            found := mload(add(add(from, 32), mul(index, 32)))
        }
    }
}
