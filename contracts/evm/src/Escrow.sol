// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Guarded} from "./Guarded.sol";
import {Money} from "./Money.sol";
import {Source, Terms} from "./Terms.sol";

interface Intents {
    function started(bytes32 key) external view returns (bool);
    function mayAct(address coordinator, address who) external view returns (bool);
}

/// Holds what starts collected until the coordinator named in the terms pays it out, once an
/// intent: to the relayer and the treasury, or back to the payer. Any number of coordinators share
/// it; none can touch what belongs to an intent of another. Nobody owns it.
contract Escrow is Guarded {
    struct Payout {
        address to;
        uint256 units;
    }

    Intents public immutable INTENTS;

    /// Intents whose total was paid out.
    mapping(bytes32 key => bool) public settled;
    /// What stayed of settled totals, a coordinator's to withdraw: what bridges charge.
    mapping(address coordinator => mapping(address token => uint256)) public kept;

    event Kept(
        bytes32 indexed key, address indexed coordinator, address indexed token, uint256 units
    );

    error AlreadySettled();
    error NotStarted();
    error TooMuch();

    constructor(address intents) {
        INTENTS = Intents(intents);
    }

    receive() external payable {}

    /// Pay out an intent's total; what no payout names stays for the coordinator.
    function settle(Source calldata source, bytes32 destHash, Payout[] calldata payouts)
        external
        guarded
    {
        if (source.chain != block.chainid) revert WrongChain();
        if (source.bridger != address(this)) revert BadTerms();
        if (!INTENTS.mayAct(source.coordinator, msg.sender)) revert NotAllowed();
        bytes32 key = Terms.keyOf(source, destHash);
        if (settled[key]) revert AlreadySettled();
        if (!INTENTS.started(key)) revert NotStarted();
        settled[key] = true;
        uint256 rest = source.total;
        for (uint256 i = 0; i < payouts.length; ++i) {
            if (payouts[i].units > rest) revert TooMuch();
            rest -= payouts[i].units;
            _pay(key, SETTLE, source.token, payouts[i].to, payouts[i].units);
        }
        if (rest != 0) {
            kept[source.coordinator][source.token] += rest;
            emit Kept(key, source.coordinator, source.token, rest);
        }
    }

    /// Take out what stayed of the caller's intents.
    function withdraw(address token, address to, uint256 units) external guarded {
        if (units > kept[msg.sender][token]) revert TooMuch();
        kept[msg.sender][token] -= units;
        _pay(0, WITHDRAW, token, to, units);
    }

    /// Which of these intents were paid out.
    function used(bytes32[] calldata keys) external view returns (bool[] memory answers) {
        answers = new bool[](keys.length);
        for (uint256 i = 0; i < keys.length; ++i) answers[i] = settled[keys[i]];
    }

    function _pay(bytes32 key, uint8 why, address token, address to, uint256 units) private {
        if (units == 0) revert NothingLeft();
        if (to == address(0) || !Money.send(token, to, units, Money.ALL_GAS)) revert Refused(to);
        emit Moved(key, msg.sender, why, token, address(this), to, units);
    }
}
