// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {CctpSwapBridge} from "../src/CctpSwapBridge.sol";
import {PoolSwap} from "../src/PoolSwap.sol";
import {SettlementBase} from "../src/SettlementBase.sol";
import {Destination, Source} from "../src/Terms.sol";
import {CctpTestBase} from "./CctpTestBase.sol";
import {SwapTestBase, IUniswapPool} from "./SwapTestBase.sol";
import {CallbackToken, FeeOnTransferToken, HugeReturnToken, StandardToken} from "./Tokens.sol";

/// A token that from some time on takes more from the sender than is sent, or gives less.
contract ChangingToken is StandardToken {
    uint256 public more;
    uint256 public less;

    function change(uint256 more_, uint256 less_) external {
        (more, less) = (more_, less_);
    }

    function _move(address from, address to, uint256 amount) internal override {
        balanceOf[from] -= amount + more;
        balanceOf[to] += amount - less;
    }
}

/// In the place of a pool: sends what it is asked for, says so, and asks for its price some times.
contract DishonestPool {
    StandardToken private immutable TOKEN;
    uint256 private immutable PRICE;
    uint256 private immutable TIMES;

    constructor(StandardToken token, uint256 price, uint256 times) {
        (TOKEN, PRICE, TIMES) = (token, price, times);
    }

    function swap(address to, bool zeroForOne, int256 amount, uint160, bytes calldata data)
        external
        returns (int256, int256)
    {
        TOKEN.mint(to, uint256(-amount));
        (int256 amount0, int256 amount1) =
            zeroForOne ? (int256(PRICE), amount) : (amount, int256(PRICE));
        for (uint256 i = 0; i < TIMES; ++i) {
            CctpSwapBridge(payable(msg.sender)).uniswapV3SwapCallback(amount0, amount1, data);
        }
        return (amount0, amount1);
    }
}

/// What callers, tokens, pools and their prices can do to a swap: at most what the terms allow.
contract CctpSwapAttacksTest is SwapTestBase {
    address private constant OTHER = address(0x0712E4);
    Source private source;
    Destination private destination;
    bytes private path;

    function setUp() public {
        deploySwaps();
        (source, destination) = swapTerms(swapFast, address(dai));
        path = pathOf(address(dai));
    }

    function test_only_the_pool_that_swaps_is_paid() public {
        othersDeposit(address(dai));
        bytes memory data = orderData();
        address[4] memory callers =
            [stranger, coordinator, address(daiPool), address(wethPool)];
        for (uint256 i = 0; i < 4; ++i) {
            vm.prank(callers[i]);
            vm.expectRevert(SettlementBase.NotAuthorized.selector);
            swapFast.uniswapV3SwapCallback(1, -1, data);
        }
    }

    function test_a_token_of_the_path_cannot_have_itself_paid() public {
        CallbackToken rig = riggedPath(1_000_000e18);
        othersDeposit(address(dai));
        rig.onTransfer(
            address(swapFast),
            abi.encodeCall(PoolSwap.uniswapV3SwapCallback, (1, 1, orderData()))
        );
        payIn(source, destination);
        swapAs(coordinator, source, destination, AMOUNT, path);
        assertTrue(rig.tried() && rig.revertSelector() == SettlementBase.NotAuthorized.selector);
        assertEq(dai.balanceOf(address(swapFast)), DAI_TOTAL);
    }

    function test_an_agent_with_a_pool_of_its_own_takes_at_most_the_total() public {
        riggedPath(1_005_000e18);
        othersDeposit(address(dai));
        payIn(source, destination);
        uint256 cost = quoted(path, AMOUNT);
        assertTrue(cost > 25.15e18 && cost < DAI_TOTAL);
        vm.recordLogs();
        swapAs(coordinator, source, destination, AMOUNT, path);
        bytes memory message = sentMessage();
        assertEq(dai.balanceOf(refundTo), DAI_TOTAL - cost);
        assertEq(dai.balanceOf(address(swapFast)), DAI_TOTAL);
        on(ARBITRUM);
        (bytes memory filled, bytes memory attestation) = attest(message, FAST, 0, 0);
        swapFast.deliver(filled, attestation);
        assertEq(usdc(ARBITRUM).balanceOf(recipient), AMOUNT);
    }

    function test_a_pool_that_asks_for_more_than_the_total_gets_nothing() public {
        riggedPath(1e30);
        othersDeposit(address(dai));
        payIn(source, destination);
        uint256 cost = quoted(path, AMOUNT);
        bytes memory why = abi.encodeWithSelector(PoolSwap.TooDear.selector, cost);
        swapRefused(source, destination, AMOUNT, path, why);
        refundedAfterExpiry();
    }

    function test_a_price_that_has_moved_leaves_the_deposit_refundable() public {
        payIn(source, destination);
        dai.mint(address(maker), 10_000e18);
        maker.sell(daiPool, address(dai), 10_000e18);
        uint256 cost = quoted(path, OUTPUT);
        bytes memory why = abi.encodeWithSelector(PoolSwap.TooDear.selector, cost);
        swapRefused(source, destination, OUTPUT, path, why);
        refundedAfterExpiry();
    }

    function test_a_price_that_moves_back_is_taken() public {
        payIn(source, destination);
        vm.prank(stranger);
        factory.start(source, destHash(destination));
        dai.mint(address(maker), 10_000e18);
        maker.sell(daiPool, address(dai), 10_000e18);
        bytes memory why = abi.encodeWithSelector(PoolSwap.TooDear.selector, quoted(path, OUTPUT));
        swapRefused(source, destination, OUTPUT, path, why);
        maker.sell(daiPool, address(usdc(BASE)), 9_900e6);
        swapAs(coordinator, source, destination, OUTPUT, path);
        assertEq(dai.balanceOf(address(swapFast)), 0);
    }

    function test_a_path_of_other_tokens_is_refused() public {
        payIn(source, destination);
        othersDeposit(address(weth));
        bytes[7] memory bad = [
            bytes(""),
            abi.encodePacked(address(usdc(BASE))),
            abi.encodePacked(path, uint8(0)),
            abi.encodePacked(address(usdc(BASE)), uint24(500), uint8(0), address(dai)),
            abi.encodePacked(address(weth), uint24(3000), address(dai)),
            hop(address(weth), 500),
            abi.encodePacked(path, uint24(3000), address(weth))
        ];
        for (uint256 i = 0; i < 7; ++i) {
            swapRefused(
                source, destination, OUTPUT, bad[i], selector(PoolSwap.InvalidPath.selector)
            );
        }
        bytes memory why =
            abi.encodeWithSelector(PoolSwap.NoPool.selector, usdc(BASE), 10000, address(dai));
        swapRefused(source, destination, OUTPUT, hop(address(dai), 10000), why);
        (source, destination) = swapTerms(swapFast, NATIVE);
        payIn(source, destination);
        path = hop(NATIVE, 500);
        swapRefused(source, destination, OUTPUT, path, selector(PoolSwap.InvalidPath.selector));
    }

    function test_a_pool_without_enough_of_the_token_is_refused() public {
        payIn(source, destination);
        IUniswapPool pool = emptyPool(address(dai), 1e18, address(usdc(BASE)), 1e6, 3000);
        path = hop(address(dai), 3000);
        bytes memory why = selector(PoolSwap.SwapFailed.selector);
        swapRefused(source, destination, OUTPUT, path, why);
        provideNarrow(pool, 20e12);
        swapRefused(source, destination, OUTPUT, path, why);
        refundedAfterExpiry();
    }

    /// The pool runs out, and the rest comes from another payer's USDC that is collected meanwhile.
    function test_a_deposit_that_is_collected_during_a_swap_is_not_taken_for_its_output() public {
        CallbackToken rig = new CallbackToken();
        makePool(address(rig), 1_000_000e18, address(dai), 1_000_000e18, 3000);
        IUniswapPool pool = emptyPool(address(rig), 1e18, address(usdc(BASE)), 1e6, 3000);
        rig.mint(address(maker), 1_000_000e18);
        uint256 gives = provideNarrow(pool, 20e12);
        path = abi.encodePacked(hop(address(rig), 3000), uint24(3000), address(dai));
        assertTrue(gives < OUTPUT);
        payIn(source, destination);
        // The pool keeps a unit or two for rounding.
        for (uint256 kept = 0; kept < 4; ++kept) {
            (Source memory victim, Destination memory to) =
                swapTerms(swapFast, address(usdc(BASE)));
            victim.total = OUTPUT - gives + kept;
            payIn(victim, to);
            bytes memory collect = abi.encodeCall(factory.start, (victim, destHash(to)));
            rig.onTransfer(address(factory), collect);
            swapRefused(
                source, destination, OUTPUT, path, selector(PoolSwap.SwapFailed.selector)
            );
            assertEq(usdc(BASE).balanceOf(depositOf(victim, to)), victim.total);
        }
    }

    function test_a_deposit_that_is_collected_during_a_good_swap_stops_it() public {
        CallbackToken rig = riggedPath(1_000_000e18);
        (Source memory victim, Destination memory to) = swapTerms(swapFast, address(usdc(BASE)));
        payIn(victim, to);
        rig.onTransfer(
            address(factory), abi.encodeCall(factory.start, (victim, destHash(to)))
        );
        payIn(source, destination);
        swapRefused(
            source, destination, AMOUNT, path, selector(PoolSwap.SwapFailed.selector)
        );
    }

    function test_a_token_that_collects_another_deposit_while_it_is_paid_is_refused() public {
        CallbackToken token = new CallbackToken();
        payInAndStart(token);
        (Source memory victim, Destination memory to) = swapTerms(swapFast, address(token));
        victim.nonce = 99;
        payIn(victim, to);
        token.onTransfer(
            address(factory), abi.encodeCall(factory.start, (victim, destHash(to)))
        );
        swapRefused(
            source, destination, OUTPUT, path, selector(PoolSwap.SwapFailed.selector)
        );
    }

    function test_a_token_cannot_call_back_into_the_bridge() public {
        CallbackToken token = new CallbackToken();
        payInAndStart(token);
        (Source memory again, Destination memory to) = swapTerms(swapFast, address(dai));
        (again.nonce, again.coordinator) = (99, address(token));
        payIn(again, to);
        factory.start(again, destHash(to));
        bytes[2] memory calls = [
            abi.encodeCall(
                CctpSwapBridge.startAndBridge, (again, to, OUTPUT, pathOf(address(dai)))
            ),
            abi.encodeWithSignature(
                "giveBack((uint256,uint256,address,uint256,address,address,address,uint256),bytes32)",
                again,
                destHash(to)
            )
        ];
        for (uint256 i = 0; i < 2; ++i) {
            token.onTransfer(address(swapFast), calls[i]);
            source.nonce = i;
            payIn(source, destination);
            swapAs(coordinator, source, destination, OUTPUT, path);
            assertTrue(token.revertSelector() == SettlementBase.ReentrantCall.selector);
        }
        assertEq(dai.balanceOf(address(swapFast)), DAI_TOTAL);
    }

    function test_a_token_that_charges_fees_is_refused_and_refundable() public {
        FeeOnTransferToken fee = new FeeOnTransferToken();
        source.token = address(fee);
        payIn(source, destination);
        bytes memory why =
            abi.encodeWithSelector(SettlementBase.ReceivedLess.selector, address(swapFast));
        swapRefused(source, destination, OUTPUT, path, why);
        vm.warp(EXPIRY);
        factory.refund(source, destHash(destination), address(fee));
        assertEq(fee.balanceOf(refundTo), DAI_TOTAL - DAI_TOTAL / 100);
    }

    function test_a_token_that_takes_more_than_is_sent_is_refused() public {
        ChangingToken token = new ChangingToken();
        payInAndStart(token);
        othersDeposit(address(token));
        token.change(1, 0);
        swapRefused(
            source, destination, OUTPUT, path, selector(PoolSwap.SwapFailed.selector)
        );
        token.change(0, 1);
        swapRefused(
            source, destination, OUTPUT, path, abi.encodeWithSignature("Error(string)", "IIA")
        );
        token.change(0, 0);
        vm.warp(EXPIRY);
        swapFast.giveBack(source, destHash(destination));
        assertEq(token.balanceOf(refundTo), DAI_TOTAL);
    }

    function test_a_token_that_burns_gas_when_change_is_returned_stops_nothing() public {
        HugeReturnToken token = new HugeReturnToken();
        payInAndStart(token);
        token.makeEndless(refundTo);
        vm.prank(coordinator);
        swapFast.startAndBridge{gas: 1_000_000}(source, destination, OUTPUT, path);
        assertTrue(token.balanceOf(depositOf(source, destination)) != 0);
        assertEq(token.balanceOf(address(swapFast)), 0);
    }

    function test_an_output_that_no_pool_has_is_refused() public {
        payIn(source, destination);
        uint256[3] memory outputs = [type(uint256).max, 1 << 255, (1 << 255) - 1];
        for (uint256 i = 0; i < 3; ++i) {
            vm.prank(coordinator);
            vm.expectRevert();
            swapFast.startAndBridge(source, destination, outputs[i], path);
        }
        refundedAfterExpiry();
    }

    /// Coins, the token that wraps them, and another token of several payers lie in one contract.
    function test_the_deposits_of_several_payers_are_not_mixed() public {
        address[3] memory tokens = [NATIVE, address(weth), address(dai)];
        for (uint256 i = 0; i < 3; ++i) othersDeposit(tokens[i]);
        for (uint256 i = 0; i < 3; ++i) {
            (source, destination) = swapTerms(swapFast, tokens[i]);
            paidAndSwapped(source, destination);
            for (uint256 j = 0; j < 3; ++j) {
                (Source memory other,) = swapTerms(swapFast, tokens[j]);
                assertEq(held(tokens[j], address(swapFast)), other.total);
            }
            assertEq(usdc(BASE).balanceOf(address(swapFast)), 0);
        }
    }

    function test_a_dishonest_pool_is_paid_once_or_not_at_all() public {
        payIn(source, destination);
        othersDeposit(address(dai));
        bytes memory honest = address(daiPool).code;
        bytes4[3] memory why = [
            SettlementBase.NotAuthorized.selector,
            PoolSwap.SwapFailed.selector,
            PoolSwap.TooDear.selector
        ];
        uint256[3] memory prices = [uint256(1), 0, DAI_TOTAL + 1];
        uint256[3] memory times = [uint256(2), 0, 1];
        StandardToken sold = StandardToken(address(usdc(BASE)));
        for (uint256 i = 0; i < 3; ++i) {
            DishonestPool pool = new DishonestPool(sold, prices[i], times[i]);
            vm.etch(address(daiPool), address(pool).code);
            bytes memory reason = i < 2
                ? selector(why[i])
                : abi.encodeWithSelector(why[i], DAI_TOTAL + 1);
            swapRefused(source, destination, OUTPUT, path, reason);
        }
        vm.etch(address(daiPool), honest);
        swapAs(coordinator, source, destination, OUTPUT, path);
    }

    /// A path over a token whose transfers can call anybody, a million of which is worth `cost`.
    function riggedPath(uint256 cost) private returns (CallbackToken rig) {
        rig = new CallbackToken();
        makePool(address(rig), 1_000_000e18, address(usdc(BASE)), 1_000_000e6, 500);
        makePool(address(rig), 1_000_000e18, address(dai), cost, 500);
        path = abi.encodePacked(hop(address(rig), 500), uint24(500), address(dai));
    }

    /// Liquidity between prices close to one only; the units of USDC that the pool has.
    function provideNarrow(IUniswapPool pool, uint128 liquidity) private returns (uint256) {
        bool first = pool.token0() == address(usdc(BASE));
        int24 tick = first ? int24(276_300) : -276_360;
        usdc(BASE).mint(address(maker), 1_000e6);
        maker.provide(pool, tick - 6_000, tick + 6_000, liquidity);
        return usdc(BASE).balanceOf(address(pool));
    }

    function othersDeposit(address token) private {
        (Source memory other, Destination memory to) = swapTerms(swapFast, token);
        (other.nonce, other.refundTo) = (1_000, OTHER);
        payIn(other, to);
        factory.start(other, destHash(to));
    }

    function payInAndStart(StandardToken token) private {
        makePool(address(token), 1_000_000e18, address(usdc(BASE)), 1_000_000e6, 500);
        source.token = address(token);
        path = pathOf(address(token));
        payIn(source, destination);
        factory.start(source, destHash(destination));
    }

    function refundedAfterExpiry() private {
        vm.warp(EXPIRY);
        factory.refund(source, destHash(destination), address(dai));
        assertEq(dai.balanceOf(refundTo), DAI_TOTAL);
    }

    /// What a pool would pass on, of an order that may spend everything.
    function orderData() private view returns (bytes memory) {
        bytes32 hash = hashOf(source, destination);
        address uniswap = address(0);
        bytes memory head =
            abi.encode(uniswap, weth, dai, type(uint256).max, hash, coordinator);
        return bytes.concat(head, pathOf(address(dai)));
    }
}
