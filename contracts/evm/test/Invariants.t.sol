// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Escrow} from "../src/Escrow.sol";
import {Source} from "../src/Terms.sol";
import {TestBase} from "./TestBase.sol";
import {ForcedSender, NoReturnToken} from "./Tokens.sol";

/// Random calls on four intents by several accounts; counts what succeeded.
contract RandomCalls is TestBase {
    uint256 public constant INTENTS = 4;

    /// What each deposit address received, by intent and token.
    mapping(uint256 => mapping(address => uint256)) public received;
    mapping(uint256 => uint256) public starts;
    mapping(uint256 => uint256) public settlements;
    mapping(uint256 => uint256) public fills;
    mapping(uint256 => uint256) public paidOut;
    mapping(address => uint256) public withdrawn;
    bool public lateStart;
    bool public earlyRefund;
    address[] public tokens;
    Source[] internal sources;

    constructor() {
        deployContracts();
        tokens = [address(0), address(usdc), address(usdt), address(blocking)];
        for (uint256 i = 0; i < INTENTS; ++i) {
            address refundAddress = address(uint160(0xBAC0 + i));
            sources.push(
                Source(
                    block.chainid,
                    i,
                    tokens[i % 4],
                    TOTAL,
                    address(escrow),
                    refundAddress,
                    i < 2 ? coordinator : stranger,
                    NOW + 4 hours + i * 1 hours
                )
            );
        }
        mint(address(0), relayer, 1e18);
        // Native coins come from here: a later call that reverts can undo vm.deal.
        vm.deal(address(this), 1e40);
        for (uint256 i = 1; i < 4; ++i) {
            mint(tokens[i], relayer, 1e18);
            vm.prank(relayer);
            NoReturnToken(tokens[i]).approve(address(filler), type(uint256).max);
        }
    }

    function pay(uint256 which, uint256 token, uint96 amount, uint8 exact) external {
        (uint256 i, address token_) = (which % INTENTS, tokens[token % 4]);
        if (exact % 4 != 0) (token_, amount) = (sources[i].token, uint96(TOTAL));
        received[i][token_] += amount;
        if (token_ == address(0)) new ForcedSender{value: amount}(payable(depositAddress(i)));
        else mint(token_, depositAddress(i), amount);
    }

    function force(uint256 which, uint32 amount) external {
        received[which % INTENTS][address(0)] += amount;
        new ForcedSender{value: amount}(payable(depositAddress(which % INTENTS)));
    }

    function wait_(uint256 seconds_) external {
        vm.warp(block.timestamp + seconds_ % 20 minutes);
    }

    function waitDays(uint256 chance) external {
        if (chance % 6 == 0) vm.warp(block.timestamp + 2 days);
    }

    function block_(uint256 which, bool denied) external {
        blocking.block_(sources[which % INTENTS].refundTo, denied);
    }

    function start_(uint256 which, address caller) external {
        uint256 i = which % INTENTS;
        vm.prank(caller);
        factory.start(sources[i], dest(i));
        ++starts[i];
        if (block.timestamp >= sources[i].expiry) lateStart = true;
    }

    function startTwo(uint256 one, uint256 other) external {
        Source[] memory both = new Source[](2);
        bytes32[] memory dests = new bytes32[](2);
        (one, other) = (one % INTENTS, other % INTENTS);
        (both[0], both[1], dests[0], dests[1]) =
        (sources[one], sources[other], dest(one), dest(other));
        factory.startMany(both, dests);
        ++starts[one];
        ++starts[other];
        if (block.timestamp >= both[0].expiry || block.timestamp >= both[1].expiry) {
            lateStart = true;
        }
    }

    function refund_(uint256 which, uint256 token, address caller) external {
        (uint256 i, address token_) = (which % INTENTS, tokens[token % 4]);
        vm.prank(caller);
        factory.refund(sources[i], dest(i), token_);
        noteRefund(i, token_);
    }

    function redirect_(uint256 which, bool authorized) external {
        uint256 i = which % INTENTS;
        address token_ = sources[i].token;
        vm.prank(authorized ? sources[i].coordinator : relayer);
        factory.redirect(sources[i], dest(i), token_, redirectAddress(i));
        noteRefund(i, token_);
        if (block.timestamp < sources[i].expiry + 3 days) earlyRefund = true;
    }

    function settle(uint256 which, uint96 first, uint96 second, uint8 authorized, bool maximum)
        external
    {
        uint256 i = which % INTENTS;
        if (maximum) (first, second) = (uint96(TOTAL - 100), 60);
        Escrow.Payout[] memory list = payouts(settlementReceiver(i), first, treasury, second);
        vm.prank(authorized % 4 != 0 ? sources[i].coordinator : relayer);
        escrow.settle(sources[i], dest(i), list);
        ++settlements[i];
        paidOut[i] += uint256(first) + second;
    }

    function withdraw(uint256 token, uint96 amount, bool first) external {
        address token_ = tokens[token % 4];
        amount %= 50;
        vm.prank(first ? coordinator : stranger);
        escrow.withdraw(token_, treasury, amount);
        withdrawn[token_] += amount;
    }

    function fill(uint256 which, uint96 otherAmount, uint8 exact) external {
        uint256 i = which % INTENTS;
        uint256 amount = exact % 4 != 0 ? OUT : otherAmount;
        address token_ = sources[i].token;
        vm.prank(relayer);
        filler.fill{value: token_ == address(0) ? amount : 0}(
            sourceHash(sources[i]), token_, recipientOf(i), amount
        );
        if (amount == OUT) ++fills[i];
    }

    // Queries of the invariants.

    function depositAddress(uint256 i) public view returns (address) {
        return factory.depositAddress(intentHash(i));
    }

    function intentHash(uint256 i) public view returns (bytes32) {
        return intentHashOf(sources[i], dest(i));
    }

    function intent(uint256 i) external view returns (Source memory) {
        return sources[i];
    }

    function filled(uint256 i) external view returns (bool) {
        return filler.filled(intentHash(i));
    }

    function settled(uint256 i) external view returns (bool) {
        return escrow.settled(intentHash(i));
    }

    function started(uint256 i) external view returns (bool) {
        return factory.started(intentHash(i));
    }

    function retainedOf(address token) external view returns (uint256) {
        return escrow.retained(coordinator, token) + escrow.retained(stranger, token);
    }

    function balanceOf_(address token, address owner) external view returns (uint256) {
        return balanceOf(token, owner);
    }

    function escrowBalance(address token) external view returns (uint256) {
        return balanceOf(token, address(escrow));
    }

    function fillerBalance(address token) external view returns (uint256) {
        return balanceOf(token, address(filler)) + balanceOf(token, address(factory));
    }

    function redirectAddress(uint256 i) public pure returns (address) {
        return address(uint160(0xE15E0 + i));
    }

    function settlementReceiver(uint256 i) public pure returns (address) {
        return address(uint160(0x5E770 + i));
    }

    function recipientOf(uint256 i) public pure returns (address) {
        return address(uint160(0xB0B00 + i));
    }

    function dest(uint256 i) private view returns (bytes32) {
        return keccak256(abi.encode(block.chainid, sources[i].token, recipientOf(i), OUT));
    }

    function noteRefund(uint256 i, address token) private {
        bool isDepositToken = token == sources[i].token;
        if (isDepositToken && starts[i] == 0 && block.timestamp < sources[i].expiry) {
            earlyRefund = true;
        }
    }
}

contract Invariants is TestBase {
    RandomCalls private calls;

    function setUp() public {
        calls = new RandomCalls();
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(calls);
    }

    /// Checked after each call.
    function invariant_every_unit_is_accounted_for_and_nothing_happens_twice() external view {
        assertTrue(!calls.lateStart() && !calls.earlyRefund());
    }

    /// Checked after each run: an error in its middle shows at its end.
    function afterInvariant() external view {
        deposits_equal_payments_and_balances();
        the_escrow_covers_its_liabilities();
        nothing_happens_twice();
    }

    function deposits_equal_payments_and_balances() private view {
        for (uint256 i = 0; i < calls.INTENTS(); ++i) {
            Source memory source = calls.intent(i);
            for (uint256 t = 0; t < 4; ++t) {
                address token = calls.tokens(t);
                uint256 found = calls.balanceOf_(token, calls.depositAddress(i))
                    + calls.balanceOf_(token, source.refundTo)
                    + calls.balanceOf_(token, calls.redirectAddress(i));
                if (token == source.token) found += calls.starts(i) * TOTAL;
                assertEq(found, calls.received(i, token));
            }
        }
    }

    function the_escrow_covers_its_liabilities() private view {
        for (uint256 t = 0; t < 4; ++t) {
            address token = calls.tokens(t);
            uint256 owed = calls.retainedOf(token);
            for (uint256 i = 0; i < calls.INTENTS(); ++i) {
                bool open = calls.started(i) && !calls.settled(i);
                if (calls.intent(i).token == token && open) owed += TOTAL;
            }
            assertEq(calls.escrowBalance(token), owed);
            assertEq(calls.fillerBalance(token), 0);
        }
    }

    function nothing_happens_twice() private view {
        for (uint256 i = 0; i < calls.INTENTS(); ++i) {
            assertTrue(calls.starts(i) <= 1 && calls.settlements(i) <= 1 && calls.fills(i) <= 1);
            assertTrue(calls.started(i) == (calls.starts(i) == 1));
            assertTrue(calls.settled(i) == (calls.settlements(i) == 1));
            assertTrue(calls.filled(i) == (calls.fills(i) == 1));
            assertTrue(calls.settlements(i) <= calls.starts(i) && calls.paidOut(i) <= TOTAL);
        }
    }
}
