// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SettlementBase} from "./SettlementBase.sol";
import {Source, Terms} from "./Terms.sol";
import {Transfers} from "./Transfers.sol";

interface IIntentFactory2 {
    function started(bytes32 intentHash) external view returns (bool);
    function isAuthorized(address coordinator, address account) external view returns (bool);
    function depositAddress(bytes32 intentHash) external view returns (address);
    function refund(Source calldata source, bytes32 destHash, address token) external;
}

/// Holds collected deposits until the coordinator of the terms pays them out, once per intent. Agents
/// can pay them to the deposit address and to payees that the coordinator registered, and to nobody
/// else. What nobody paid out is returned to the deposit address from a day after expiry on, by
/// anyone. Shared by any number of coordinators; none can touch the deposits of another's intents.
/// Has no owner.
contract Escrow2 is SettlementBase {
    struct Payout {
        address to;
        uint256 amount;
    }

    /// What happened to the deposit of an intent.
    uint8 private constant SETTLED = 1;
    uint8 private constant RECLAIMED = 2;
    /// How long after expiry a deposit can be reclaimed: longer than chains have stood still.
    uint256 public constant RECLAIM_DELAY = 24 hours;

    IIntentFactory2 public immutable FACTORY;

    /// Zero, SETTLED or RECLAIMED.
    mapping(bytes32 intentHash => uint8) public spent;
    /// Retained amounts of settled deposits, such as fees; the coordinator withdraws them.
    mapping(address coordinator => mapping(address token => uint256 amount)) public retained;
    /// Whom a coordinator's agents can pay.
    mapping(address coordinator => mapping(address payee => bool)) public payees;

    event Retained(
        bytes32 indexed intentHash,
        address indexed coordinator,
        address indexed token,
        uint256 amount
    );
    event PayeeSet(address indexed coordinator, address indexed payee, bool allowed);

    error AlreadySettled();
    error AlreadyReclaimed();
    error NotStarted();
    error TooEarly();
    error ExceedsAvailable();
    error NotAPayee(address to);

    constructor(address factory) {
        FACTORY = IIntentFactory2(factory);
    }

    receive() external payable {}

    /// Pay out the deposit of an intent; what remains after the payouts is retained.
    function settle(Source calldata source, bytes32 destHash, Payout[] calldata payouts)
        external
        nonReentrant
    {
        bytes32 intentHash = _requireUnspent(source, destHash);
        if (!FACTORY.isAuthorized(source.coordinator, msg.sender)) revert NotAuthorized();
        if (!FACTORY.started(intentHash)) revert NotStarted();
        if (msg.sender != source.coordinator) {
            _requirePayees(source.coordinator, intentHash, payouts);
        }
        spent[intentHash] = SETTLED;
        uint256 remaining = source.total;
        for (uint256 i = 0; i < payouts.length; ++i) {
            if (payouts[i].amount > remaining) revert ExceedsAvailable();
            remaining -= payouts[i].amount;
            _pay(intentHash, SETTLE, source.token, payouts[i].to, payouts[i].amount);
        }
        if (remaining != 0) {
            retained[source.coordinator][source.token] += remaining;
            emit Retained(intentHash, source.coordinator, source.token, remaining);
        }
    }

    /// Return a deposit that was not paid out to its deposit address, and from there, if it accepts,
    /// to `refundTo`. Anyone can call this, `RECLAIM_DELAY` after expiry.
    function reclaim(Source calldata source, bytes32 destHash) external nonReentrant {
        bytes32 intentHash = _requireUnspent(source, destHash);
        if (!FACTORY.started(intentHash)) revert NotStarted();
        if (
            block.timestamp < source.expiry || block.timestamp - source.expiry < RECLAIM_DELAY
        ) revert TooEarly();
        spent[intentHash] = RECLAIMED;
        address deposit = FACTORY.depositAddress(intentHash);
        _pay(intentHash, GIVE_BACK, source.token, deposit, source.total);
        // Refused, or short of gas: it stays at the deposit address, where anyone can refund it.
        try FACTORY.refund(source, destHash, source.token) {} catch {}
    }

    /// Withdraw retained amounts of the caller's intents.
    function withdraw(address token, address to, uint256 amount) external nonReentrant {
        if (amount > retained[msg.sender][token]) revert ExceedsAvailable();
        retained[msg.sender][token] -= amount;
        _pay(0, WITHDRAW, token, to, amount);
    }

    /// Allow the caller's agents to pay an account, or revoke that.
    function setPayee(address payee, bool allowed) external {
        payees[msg.sender][payee] = allowed;
        emit PayeeSet(msg.sender, payee, allowed);
    }

    /// Which of these intents were settled.
    function executed(bytes32[] calldata intentHashes)
        external
        view
        returns (bool[] memory results)
    {
        results = new bool[](intentHashes.length);
        for (uint256 i = 0; i < intentHashes.length; ++i) {
            results[i] = spent[intentHashes[i]] == SETTLED;
        }
    }

    /// What `spent` has of these intents.
    function statesOf(bytes32[] calldata intentHashes)
        external
        view
        returns (uint8[] memory results)
    {
        results = new uint8[](intentHashes.length);
        for (uint256 i = 0; i < intentHashes.length; ++i) results[i] = spent[intentHashes[i]];
    }

    function _requireUnspent(Source calldata source, bytes32 destHash)
        private
        view
        returns (bytes32 intentHash)
    {
        if (source.chain != block.chainid) revert WrongChain();
        if (source.bridger != address(this)) revert InvalidTerms();
        intentHash = Terms.hashIntent(source, destHash);
        if (spent[intentHash] == SETTLED) revert AlreadySettled();
        if (spent[intentHash] == RECLAIMED) revert AlreadyReclaimed();
    }

    function _requirePayees(address coordinator, bytes32 intentHash, Payout[] calldata payouts)
        private
        view
    {
        address deposit = FACTORY.depositAddress(intentHash);
        for (uint256 i = 0; i < payouts.length; ++i) {
            address to = payouts[i].to;
            if (to != deposit && !payees[coordinator][to]) revert NotAPayee(to);
        }
    }

    function _pay(bytes32 intentHash, uint8 kind, address token, address to, uint256 amount)
        private
    {
        if (amount == 0) revert NothingToTransfer();
        if (to == address(0)) revert TransferFailed(to);
        if (!Transfers.tryTransfer(token, to, amount, Transfers.NO_GAS_LIMIT)) {
            revert TransferFailed(to);
        }
        emit TokensMoved(intentHash, msg.sender, kind, token, address(this), to, amount);
    }
}
