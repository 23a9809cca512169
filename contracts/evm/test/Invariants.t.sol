// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Escrow} from "../src/Escrow.sol";
import {Source} from "../src/Terms.sol";
import {Cheats} from "./Cheats.sol";
import {Forcing, Silent} from "./Tokens.sol";

/// Many people who do what they like with four intents; it writes down what worked.
contract Crowd is Cheats {
    uint256 public constant INTENTS = 4;

    /// Everything that ever came to a deposit address, and what left it, by intent and token.
    mapping(uint256 => mapping(address => uint256)) public came;
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
        prepare();
        tokens = [address(0), address(usdc), address(usdt), address(blocking)];
        for (uint256 i = 0; i < INTENTS; ++i) {
            address back = address(uint160(0xBAC0 + i));
            sources.push(
                Source(
                    block.chainid,
                    i,
                    tokens[i % 4],
                    TOTAL,
                    address(escrow),
                    back,
                    i < 2 ? coordinator : stranger,
                    NOW + 4 hours + i * 1 hours
                )
            );
        }
        give(address(0), relayer, 1e18);
        for (uint256 i = 1; i < 4; ++i) {
            give(tokens[i], relayer, 1e18);
            vm.prank(relayer);
            Silent(tokens[i]).approve(address(filler), type(uint256).max);
        }
    }

    function pay(uint256 which, uint256 token, uint96 units, uint8 exact) external {
        (uint256 i, address of_) = (which % INTENTS, tokens[token % 4]);
        if (exact % 4 != 0) (of_, units) = (sources[i].token, uint96(TOTAL));
        came[i][of_] += units;
        give(of_, place(i), units);
    }

    function force(uint256 which, uint32 units) external {
        came[which % INTENTS][address(0)] += units;
        vm.deal(address(this), units);
        new Forcing{value: units}(payable(place(which % INTENTS)));
    }

    function wait_(uint256 seconds_) external {
        vm.warp(block.timestamp + seconds_ % 20 minutes);
    }

    function waitLong(uint256 really) external {
        if (really % 6 == 0) vm.warp(block.timestamp + 2 days);
    }

    function block_(uint256 which, bool yes_) external {
        blocking.block_(sources[which % INTENTS].refundTo, yes_);
    }

    function begin(uint256 which, address who) external {
        uint256 i = which % INTENTS;
        vm.prank(who);
        factory.start(sources[i], dest(i));
        ++starts[i];
        if (block.timestamp >= sources[i].expiry) lateStart = true;
    }

    function beginTwo(uint256 one, uint256 other) external {
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

    function giveBack(uint256 which, uint256 token, address who) external {
        (uint256 i, address of_) = (which % INTENTS, tokens[token % 4]);
        vm.prank(who);
        factory.refund(sources[i], dest(i), of_);
        noteRefund(i, of_);
    }

    function giveElsewhere(uint256 which, bool rightly) external {
        uint256 i = which % INTENTS;
        address of_ = sources[i].token;
        vm.prank(rightly ? sources[i].coordinator : relayer);
        factory.redirect(sources[i], dest(i), of_, elsewhere(i));
        noteRefund(i, of_);
        if (block.timestamp < sources[i].expiry + 3 days) earlyRefund = true;
    }

    function settle(uint256 which, uint96 first, uint96 second, uint8 rightly, bool most) external {
        uint256 i = which % INTENTS;
        if (most) (first, second) = (uint96(TOTAL - 100), 60);
        Escrow.Payout[] memory made = payouts(settledTo(i), first, treasury, second);
        vm.prank(rightly % 4 != 0 ? sources[i].coordinator : relayer);
        escrow.settle(sources[i], dest(i), made);
        ++settlements[i];
        paidOut[i] += uint256(first) + second;
    }

    function withdraw(uint256 token, uint96 units, bool first) external {
        address of_ = tokens[token % 4];
        units %= 50;
        vm.prank(first ? coordinator : stranger);
        escrow.withdraw(of_, treasury, units);
        withdrawn[of_] += units;
    }

    function fill(uint256 which, uint96 units, uint8 exact) external {
        uint256 i = which % INTENTS;
        uint256 amount = exact % 4 != 0 ? OUT : units;
        address of_ = sources[i].token;
        vm.prank(relayer);
        filler.fill{value: of_ == address(0) ? amount : 0}(
            sourceHash(sources[i]), of_, paid(i), amount
        );
        if (amount == OUT) ++fills[i];
    }

    // What the invariants ask.

    function place(uint256 i) public view returns (address) {
        return factory.addressOf(key(i));
    }

    function key(uint256 i) public view returns (bytes32) {
        return keyOf(sources[i], dest(i));
    }

    function intent(uint256 i) external view returns (Source memory) {
        return sources[i];
    }

    function filled(uint256 i) external view returns (bool) {
        return filler.filled(key(i));
    }

    function settled(uint256 i) external view returns (bool) {
        return escrow.settled(key(i));
    }

    function started(uint256 i) external view returns (bool) {
        return factory.started(key(i));
    }

    function keptOf(address token) external view returns (uint256) {
        return escrow.kept(coordinator, token) + escrow.kept(stranger, token);
    }

    function heldBy(address token, address owner) external view returns (uint256) {
        return held(token, owner);
    }

    function escrowHolds(address token) external view returns (uint256) {
        return held(token, address(escrow));
    }

    function fillerHolds(address token) external view returns (uint256) {
        return held(token, address(filler)) + held(token, address(factory));
    }

    function elsewhere(uint256 i) public pure returns (address) {
        return address(uint160(0xE15E0 + i));
    }

    function settledTo(uint256 i) public pure returns (address) {
        return address(uint160(0x5E770 + i));
    }

    function paid(uint256 i) public pure returns (address) {
        return address(uint160(0xB0B00 + i));
    }

    function dest(uint256 i) private view returns (bytes32) {
        return keccak256(abi.encode(block.chainid, sources[i].token, paid(i), OUT));
    }

    function noteRefund(uint256 i, address token) private {
        bool asked = token == sources[i].token;
        if (asked && starts[i] == 0 && block.timestamp < sources[i].expiry) earlyRefund = true;
    }
}

contract Invariants is Cheats {
    Crowd private crowd;

    function setUp() public {
        crowd = new Crowd();
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(crowd);
    }

    /// Asked after each call.
    function invariant_every_unit_is_explained_and_nothing_happens_twice() external view {
        yes(!crowd.lateStart() && !crowd.earlyRefund());
    }

    /// Asked after each run: what went wrong in its middle shows at its end.
    function afterInvariant() external view {
        money_in_is_money_out_and_money_held();
        the_escrow_holds_what_it_owes();
        nothing_happens_twice();
    }

    function money_in_is_money_out_and_money_held() private view {
        for (uint256 i = 0; i < crowd.INTENTS(); ++i) {
            Source memory source = crowd.intent(i);
            for (uint256 t = 0; t < 4; ++t) {
                address token = crowd.tokens(t);
                uint256 there = crowd.heldBy(token, crowd.place(i))
                    + crowd.heldBy(token, source.refundTo)
                    + crowd.heldBy(token, crowd.elsewhere(i));
                if (token == source.token) there += crowd.starts(i) * TOTAL;
                same(there, crowd.came(i, token));
            }
        }
    }

    function the_escrow_holds_what_it_owes() private view {
        for (uint256 t = 0; t < 4; ++t) {
            address token = crowd.tokens(t);
            uint256 owed = crowd.keptOf(token);
            for (uint256 i = 0; i < crowd.INTENTS(); ++i) {
                bool open = crowd.started(i) && !crowd.settled(i);
                if (crowd.intent(i).token == token && open) owed += TOTAL;
            }
            same(crowd.escrowHolds(token), owed);
            same(crowd.fillerHolds(token), 0);
        }
    }

    function nothing_happens_twice() private view {
        for (uint256 i = 0; i < crowd.INTENTS(); ++i) {
            yes(crowd.starts(i) <= 1 && crowd.settlements(i) <= 1 && crowd.fills(i) <= 1);
            yes(crowd.started(i) == (crowd.starts(i) == 1));
            yes(crowd.settled(i) == (crowd.settlements(i) == 1));
            yes(crowd.filled(i) == (crowd.fills(i) == 1));
            yes(crowd.settlements(i) <= crowd.starts(i) && crowd.paidOut(i) <= TOTAL);
        }
    }
}
