// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {DepositAddress} from "../src/DepositAddress.sol";
import {Guarded} from "../src/Guarded.sol";
import {IntentFactory} from "../src/IntentFactory.sol";
import {Source} from "../src/Terms.sol";
import {Cheats} from "./Cheats.sol";
import {Burning, Calling, Endless, Forcing, Hooked, Lying, Plain, Refusing} from "./Tokens.sol";

contract FactoryTest is Cheats {
    function setUp() public {
        prepare();
    }

    function test_the_exact_total_is_collected() public {
        Source memory source = terms(address(usdc));
        deposit(source, TOTAL);
        vm.prank(stranger);
        start(source);
        same(usdc.balanceOf(address(escrow)), TOTAL);
        same(usdc.balanceOf(addressOf(source)), 0);
        yes(factory.started(keyOf(source, destHash(address(usdc)))));
    }

    function test_what_is_over_goes_back() public {
        Source memory source = terms(address(usdc));
        deposit(source, TOTAL + 3);
        start(source);
        same(usdc.balanceOf(address(escrow)), TOTAL);
        same(usdc.balanceOf(refundTo), 3);
    }

    function test_the_native_coin_is_collected_and_what_is_over_goes_back() public {
        Source memory source = terms(address(0));
        deposit(source, TOTAL + 9);
        start(source);
        same(address(escrow).balance, TOTAL);
        same(refundTo.balance, 9);
    }

    function test_a_token_that_answers_nothing_is_collected_and_refunded() public {
        Source memory source = terms(address(usdt));
        deposit(source, TOTAL + 1);
        start(source);
        same(usdt.balanceOf(address(escrow)), TOTAL);
        same(usdt.balanceOf(refundTo), 1);
        deposit(source, 5);
        refund(source, address(usdt));
        same(usdt.balanceOf(refundTo), 6);
    }

    function test_a_token_that_answers_false_is_not_collected() public {
        Lying lying = new Lying();
        Source memory source = terms(address(lying));
        deposit(source, TOTAL);
        vm.expectRevert(abi.encodeWithSelector(Guarded.Refused.selector, address(escrow)));
        this.start_(source);
    }

    function test_a_token_that_takes_a_fee_is_not_collected_and_goes_back() public {
        Source memory source = terms(address(fee));
        deposit(source, TOTAL);
        vm.expectRevert(abi.encodeWithSelector(Guarded.ReceivedLess.selector, address(escrow)));
        this.start_(source);
        vm.warp(EXPIRY);
        refund(source, address(fee));
        same(fee.balanceOf(refundTo), TOTAL - TOTAL / 100);
    }

    function test_an_address_without_code_is_no_token() public {
        Source memory source = terms(address(0xdead));
        vm.expectRevert();
        this.start_(source);
    }

    function test_too_little_is_not_collected() public {
        Source memory source = terms(address(usdc));
        deposit(source, TOTAL - 1);
        vm.expectRevert(
            abi.encodeWithSelector(IntentFactory.Short.selector, TOTAL - 1, TOTAL)
        );
        this.start_(source);
    }

    function test_nothing_is_started_twice() public {
        Source memory source = terms(address(usdc));
        deposit(source, 2 * TOTAL);
        start(source);
        deposit(source, TOTAL);
        vm.expectRevert(IntentFactory.AlreadyStarted.selector);
        this.start_(source);
        same(usdc.balanceOf(address(escrow)), TOTAL);
    }

    function test_nothing_is_started_at_expiry_or_later() public {
        Source memory source = terms(address(usdc));
        deposit(source, TOTAL);
        vm.warp(EXPIRY);
        vm.expectRevert(IntentFactory.Expired.selector);
        this.start_(source);
        vm.warp(EXPIRY - 1);
        vm.expectRevert(IntentFactory.TooEarly.selector);
        this.refund_(source, address(usdc));
        start(source);
    }

    function test_nothing_is_started_on_another_chain() public {
        Source memory source = terms(address(usdc));
        deposit(source, TOTAL);
        source.chain = 10;
        vm.expectRevert(Guarded.WrongChain.selector);
        this.start_(source);
    }

    function test_other_terms_are_another_address() public {
        Source memory source = terms(address(usdc));
        deposit(source, TOTAL);
        source.bridger = stranger;
        vm.expectRevert(abi.encodeWithSelector(IntentFactory.Short.selector, 0, TOTAL));
        this.start_(source);
    }

    function test_nothing_of_zero_units_is_started() public {
        Source memory source = terms(address(usdc));
        source.total = 0;
        vm.expectRevert(Guarded.BadTerms.selector);
        this.start_(source);
    }

    function test_a_refund_address_that_is_blocked_does_not_block_the_start() public {
        Source memory source = terms(address(blocking));
        blocking.block_(refundTo, true);
        deposit(source, TOTAL + 5);
        start(source);
        same(blocking.balanceOf(address(escrow)), TOTAL);
        same(blocking.balanceOf(addressOf(source)), 5);
        blocking.block_(refundTo, false);
        refund(source, address(blocking));
        same(blocking.balanceOf(refundTo), 5);
    }

    function test_a_refund_address_that_reverts_or_burns_gas_does_not_block_the_start() public {
        address[2] memory bad = [address(new Refusing()), address(new Burning())];
        for (uint256 i = 0; i < 2; ++i) {
            Source memory source = terms(address(0));
            source.refundTo = bad[i];
            deposit(source, TOTAL + 5);
            uint256 before = gasleft();
            factory.start{gas: 900_000}(source, destHash(address(0)));
            yes(before - gasleft() < 650_000);
            same(addressOf(source).balance, 5);
        }
        same(address(escrow).balance, 2 * TOTAL);
    }

    function test_a_token_that_answers_a_megabyte_does_not_block_the_start() public {
        Endless endless = new Endless();
        Source memory source = terms(address(endless));
        endless.makeEndless(refundTo);
        deposit(source, TOTAL + 5);
        bytes32 dest = destHash(address(endless));
        uint256 before = gasleft();
        factory.start{gas: 20_000_000}(source, dest);
        yes(before - gasleft() < 650_000);
        same(endless.balanceOf(address(escrow)), TOTAL);
    }

    function test_who_is_paid_cannot_call_back() public {
        Calling calling = new Calling();
        Source memory source = terms(address(0));
        source.refundTo = address(calling);
        deposit(source, TOTAL + 5);
        bytes32 dest = destHash(address(0));
        calling.set(address(factory), abi.encodeCall(factory.refund, (source, dest, address(0))));
        start(source);
        yes(calling.tried() && !calling.worked());
        yes(calling.why() == Guarded.Entered.selector);
    }

    function test_a_token_with_hooks_cannot_call_back() public {
        Hooked hooked = new Hooked();
        Source memory source = terms(address(hooked));
        deposit(source, TOTAL + 5);
        bytes memory again = abi.encodeCall(factory.start, (source, destHash(address(hooked))));
        hooked.onTransfer(address(factory), again);
        start(source);
        yes(hooked.tried());
        yes(hooked.seen() == Guarded.Entered.selector);
        same(hooked.balanceOf(address(escrow)), TOTAL);
    }

    function test_several_are_started_at_once_all_or_none() public {
        Source[] memory sources = new Source[](3);
        bytes32[] memory dests = new bytes32[](3);
        for (uint256 i = 0; i < 3; ++i) {
            sources[i] = terms(address(usdc));
            sources[i].nonce = i;
            dests[i] = destHash(address(usdc));
            if (i < 2) deposit(sources[i], TOTAL);
        }
        vm.expectRevert(abi.encodeWithSelector(IntentFactory.Short.selector, 0, TOTAL));
        factory.startMany(sources, dests);
        deposit(sources[2], TOTAL);
        factory.startMany(sources, dests);
        same(usdc.balanceOf(address(escrow)), 3 * TOTAL);
        vm.expectRevert(Guarded.BadTerms.selector);
        factory.startMany(sources, new bytes32[](2));
    }

    function test_forced_coins_are_only_coins() public {
        Source memory source = terms(address(usdc));
        address payable place = payable(addressOf(source));
        vm.deal(address(this), 10);
        new Forcing{value: 10}(place);
        deposit(source, TOTAL);
        start(source);
        refund(source, address(0));
        same(refundTo.balance, 10);
        same(usdc.balanceOf(address(escrow)), TOTAL);
    }

    function test_a_deposit_address_obeys_its_factory_alone() public {
        Source memory source = terms(address(usdc));
        deposit(source, TOTAL + 1);
        start(source);
        DepositAddress place = DepositAddress(payable(addressOf(source)));
        vm.expectRevert(DepositAddress.NotAllowed.selector);
        place.pay(address(usdc), stranger, 1, 1);
        DepositAddress behind = DepositAddress(payable(factory.IMPLEMENTATION()));
        vm.expectRevert(DepositAddress.NotAllowed.selector);
        behind.pay(address(usdc), stranger, 1, 1);
    }

    function test_a_chain_with_another_prefix_does_not_get_the_factory() public {
        vm.expectRevert(Guarded.BadTerms.selector);
        new IntentFactory(0x41);
    }

    function testFuzz_every_unit_is_explained(uint96 units, uint96 more, uint32 later, bool native)
        public
    {
        Source memory source = terms(native ? address(0) : address(usdc));
        deposit(source, units);
        vm.warp(NOW + later % 2 hours);
        bool due = units >= TOTAL && block.timestamp < EXPIRY;
        try this.start_(source) {
            yes(due);
        } catch {
            yes(!due);
        }
        deposit(source, more);
        vm.warp(EXPIRY);
        if (held(source.token, addressOf(source)) != 0) refund(source, source.token);
        same(held(source.token, address(escrow)), due ? TOTAL : 0);
        same(held(source.token, refundTo), uint256(units) + more - (due ? TOTAL : 0));
    }

    function testFuzz_each_term_changes_the_address(uint8 field, uint256 change) public view {
        Source memory source = terms(address(usdc));
        address first = addressOf(source);
        change = change == 0 ? 1 : change;
        uint256 which = field % 8;
        uint256 offset = which * 32;
        uint256 most = which == 2 || (which >= 4 && which <= 6) ? type(uint160).max : change;
        if (change > most) change = change % most + 1;
        bytes32 dest = destHash(address(usdc));
        assembly {
            mstore(add(source, offset), xor(mload(add(source, offset)), change))
        }
        yes(factory.addressOf(keyOf(source, dest)) != first);
        yes(factory.keyOf(source, dest) == keyOf(source, dest));
    }

    function start_(Source memory source) external {
        start(source);
    }

    function refund_(Source memory source, address token) external {
        refund(source, token);
    }
}
