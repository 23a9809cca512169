// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BridgeBase} from "../src/BridgeBase.sol";
import {CallBatch} from "../src/CallBatch.sol";
import {CctpBase} from "../src/CctpBase.sol";
import {CctpBridge} from "../src/CctpBridge.sol";
import {Destination, Source} from "../src/Terms.sol";
import {CctpTestBase} from "./CctpTestBase.sol";

/// Returns more than a caller can pay for.
contract LongAnswer {
    fallback() external {
        assembly ("memory-safe") {
            return(0, 100000)
        }
    }
}

/// Counts its calls and the least gas that it got.
contract Counter {
    uint256 public calls;
    uint256 public leastGas = type(uint256).max;

    fallback() external {
        uint256 got = gasleft();
        if (got < leastGas) leastGas = got;
        ++calls;
    }
}

contract BurnsAll {
    fallback() external {
        assembly ("memory-safe") {
            invalid()
        }
    }
}

contract CallBatchTest is CctpTestBase {
    uint256 private constant GAS = 450_000;

    CallBatch private batch;

    function setUp() public {
        deployContracts();
        batch = new CallBatch();
    }

    function test_several_payments_are_sent_and_delivered_at_once() public {
        CallBatch.Item[] memory starts = new CallBatch.Item[](3);
        Source[] memory sources = new Source[](3);
        Destination[] memory destinations = new Destination[](3);
        bytes[] memory messages = new bytes[](3);
        for (uint256 i = 0; i < 3; ++i) {
            (sources[i], destinations[i]) = payment(i);
            pay(sources[i], destinations[i]);
            starts[i] = startItem(sources[i], destinations[i]);
        }
        batch.run(starts);
        for (uint256 i = 0; i < 3; ++i) {
            assertEq(fast.spent(hashOf(sources[i], destinations[i])), 1);
        }
        // Each as a message of its own, which the stand-in would attest to one by one.
        for (uint256 i = 0; i < 3; ++i) {
            (sources[i], destinations[i]) = payment(i + 10);
            messages[i] = paidAndSent(sources[i], destinations[i]);
        }
        CallBatch.Item[] memory deliveries = new CallBatch.Item[](3);
        for (uint256 i = 0; i < 3; ++i) {
            (bytes memory message, bytes memory attestation) = attest(messages[i], FAST, 2_501, 0);
            deliveries[i] = CallBatch.Item(
                address(fast), GAS, abi.encodeCall(CctpBase.deliver, (message, attestation))
            );
        }
        batch.run(deliveries);
        assertEq(usdc(ARBITRUM).balanceOf(recipient), 3 * AMOUNT);
        assertEq(usdc(ARBITRUM).balanceOf(address(batch)), 0);
    }

    function test_a_call_that_fails_takes_none_of_the_others_along() public {
        (Source memory good, Destination memory destination) = payment(1);
        (Source memory unpaid, Destination memory other) = payment(2);
        pay(good, destination);
        CallBatch.Item[] memory items = new CallBatch.Item[](3);
        items[0] = startItem(unpaid, other);
        items[1] = CallBatch.Item(address(new BurnsAll()), GAS, "");
        items[2] = startItem(good, destination);
        batch.run(items);
        assertEq(fast.spent(hashOf(good, destination)), 1);
        assertEq(fast.spent(hashOf(unpaid, other)), 0);
    }

    function test_a_call_made_twice_moves_money_once() public {
        (Source memory source, Destination memory destination) = payment(1);
        pay(source, destination);
        pay(source, destination);
        CallBatch.Item[] memory items = new CallBatch.Item[](2);
        items[0] = startItem(source, destination);
        items[1] = startItem(source, destination);
        batch.run(items);
        // The excess went back with the start.
        assertEq(usdc(BASE).balanceOf(refundTo), TOTAL);
        assertEq(usdc(BASE).balanceOf(address(fast)), 0);
    }

    function test_a_call_is_made_with_its_gas_or_not_at_all(uint256 limit) public {
        limit = 30_000 + limit % 2_000_000;
        Counter counter = new Counter();
        CallBatch.Item[] memory items = new CallBatch.Item[](4);
        for (uint256 i = 0; i < 4; ++i) items[i] = CallBatch.Item(address(counter), GAS, "");
        (bool ran,) = address(batch).call{gas: limit}(abi.encodeCall(CallBatch.run, (items)));
        if (limit >= 600_000) require(ran && counter.calls() == 4, "cheap calls were left out");
        if (counter.calls() > 0) {
            require(counter.leastGas() > GAS - 3_000, "a call got less than its gas");
        }
    }

    function test_what_a_call_returns_does_not_use_the_gas_of_the_others() public {
        Counter counter = new Counter();
        CallBatch.Item[] memory items = new CallBatch.Item[](2);
        items[0] = CallBatch.Item(address(new LongAnswer()), 100_000, "");
        items[1] = CallBatch.Item(address(counter), 60_000, "");
        batch.run{gas: 250_000}(items);
        assertEq(counter.calls(), 1);
    }

    function test_it_has_no_rights_of_whoever_calls_it() public {
        (Source memory source, Destination memory destination) = payment(1);
        pay(source, destination);
        bytes32 hash = destHash(destination);
        factory.start(source, hash);
        CallBatch.Item[] memory items = new CallBatch.Item[](1);
        items[0] = CallBatch.Item(
            address(fast), GAS, abi.encodeCall(BridgeBase.giveBack, (source, hash))
        );
        vm.prank(coordinator);
        batch.run(items);
        assertEq(fast.spent(hashOf(source, destination)), 0);
        vm.prank(coordinator);
        fast.giveBack(source, hash);
        assertEq(usdc(BASE).balanceOf(refundTo), TOTAL);
    }

    function payment(uint256 nonce)
        private
        view
        returns (Source memory source, Destination memory destination)
    {
        (source, destination) = terms(fast);
        source.nonce = nonce;
    }

    function startItem(Source memory source, Destination memory destination)
        private
        view
        returns (CallBatch.Item memory)
    {
        bytes memory data = abi.encodeCall(CctpBridge.startAndBridge, (source, destination));
        return CallBatch.Item(address(fast), GAS, data);
    }
}
