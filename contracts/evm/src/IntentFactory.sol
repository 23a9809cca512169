// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {DepositAddress} from "./DepositAddress.sol";
import {Guarded} from "./Guarded.sol";
import {Money} from "./Money.sol";
import {Source, Terms} from "./Terms.sol";

/// Makes deposit addresses and decides what leaves them: the exact total to `bridger`, once and
/// before expiry; everything else to `refundTo`. Nobody owns it, and nothing in it can be changed.
contract IntentFactory is Guarded {
    /// After expiry, how long `refundTo` has before the coordinator may name another address.
    uint256 public constant GRACE = 3 days;
    /// What is left over goes back with at most this gas: it must never block a start.
    uint256 private constant EXCESS_GAS = 300_000;
    /// A refusal counts only if it was not for want of gas.
    uint256 private constant FAIR_GAS = 350_000;

    /// The first byte of what CREATE2 hashes: 0xff on EVM chains, 0x41 on Tron.
    bytes1 public immutable PREFIX;
    address public immutable IMPLEMENTATION;
    bytes32 private immutable CLONE_HASH;

    /// Intents that were started.
    mapping(bytes32 key => bool) public started;
    /// Accounts that act for a coordinator: settle in the escrow, refund on a foreign chain.
    mapping(address coordinator => mapping(address agent => bool)) public agents;

    event Agent(address indexed coordinator, address indexed agent, bool allowed);

    error AlreadyStarted();
    error Expired();
    error TooEarly();
    error Short(uint256 held, uint256 total);

    constructor(bytes1 prefix) {
        PREFIX = prefix;
        IMPLEMENTATION = address(new DepositAddress{salt: 0}());
        CLONE_HASH = keccak256(_cloneCode());
        // A chain that hashes with another prefix must not get this contract.
        if (IMPLEMENTATION != _at(0, keccak256(type(DepositAddress).creationCode))) {
            revert BadTerms();
        }
    }

    /// Pay the exact total to `bridger` and what is over, best effort, to `refundTo`. Anyone may.
    function start(Source calldata source, bytes32 destHash) external guarded {
        _start(source, destHash);
    }

    /// Start several, all or none.
    function startMany(Source[] calldata sources, bytes32[] calldata destHashes) external guarded {
        if (sources.length != destHashes.length) revert BadTerms();
        for (uint256 i = 0; i < sources.length; ++i) {
            _start(sources[i], destHashes[i]);
        }
    }

    /// Send everything of a token to `refundTo`: what was asked for once it expired or was started,
    /// any other token at any time. Anyone may. On another chain than the intent's, where the
    /// address exists too, only the coordinator may: `refundTo` can be somebody else's there.
    function refund(Source calldata source, bytes32 destHash, address token) external guarded {
        (bytes32 key, address deposit, uint256 units) = _refundable(source, destHash, token);
        if (!DepositAddress(payable(deposit)).pay(token, source.refundTo, units, Money.ALL_GAS)) {
            revert Refused(source.refundTo);
        }
        emit Moved(key, msg.sender, REFUND, token, deposit, source.refundTo, units);
    }

    /// Refund to another address, because `refundTo` refuses: it is tried first, and paid if it
    /// accepts. Only the coordinator may, and only from `GRACE` after expiry.
    function redirect(Source calldata source, bytes32 destHash, address token, address to)
        external
        guarded
    {
        if (msg.sender != source.coordinator) revert NotAllowed();
        if (block.timestamp < source.expiry || block.timestamp - source.expiry < GRACE) {
            revert TooEarly();
        }
        if (to == address(0)) revert BadTerms();
        (bytes32 key, address deposit, uint256 units) = _refundable(source, destHash, token);
        DepositAddress box = DepositAddress(payable(deposit));
        if (gasleft() < FAIR_GAS) revert BadTerms();
        address paid = source.refundTo;
        if (paid == address(0) || !box.pay(token, paid, units, Money.ALL_GAS)) {
            paid = to;
            if (!box.pay(token, to, units, Money.ALL_GAS)) revert Refused(to);
        }
        emit Moved(key, msg.sender, REFUND, token, deposit, paid, units);
    }

    /// Let an account act for the caller as coordinator, or no longer.
    function setAgent(address agent, bool allowed) external {
        agents[msg.sender][agent] = allowed;
        emit Agent(msg.sender, agent, allowed);
    }

    /// Whether an account may act for a coordinator.
    function mayAct(address coordinator, address who) public view returns (bool) {
        return who == coordinator || agents[coordinator][who];
    }

    /// Which of these intents were started.
    function used(bytes32[] calldata keys) external view returns (bool[] memory answers) {
        answers = new bool[](keys.length);
        for (uint256 i = 0; i < keys.length; ++i) answers[i] = started[keys[i]];
    }

    /// The deposit address of an intent, whether it was deployed or not.
    function addressOf(bytes32 key) public view returns (address) {
        return _at(key, CLONE_HASH);
    }

    /// The key of an intent.
    function keyOf(Source calldata source, bytes32 destHash) external pure returns (bytes32) {
        return Terms.keyOf(source, destHash);
    }

    function _start(Source calldata source, bytes32 destHash) private {
        if (source.chain != block.chainid) revert WrongChain();
        if (block.timestamp >= source.expiry) revert Expired();
        if (source.total == 0 || source.bridger == address(0)) revert BadTerms();
        bytes32 key = Terms.keyOf(source, destHash);
        if (started[key]) revert AlreadyStarted();
        started[key] = true;
        address deposit = _deployed(key);
        uint256 over = Money.held(source.token, deposit);
        if (over < source.total) revert Short(over, source.total);
        _collect(source, key, deposit);
        over = Money.held(source.token, deposit);
        if (over == 0 || source.refundTo == address(0)) return;
        if (DepositAddress(payable(deposit)).pay(source.token, source.refundTo, over, EXCESS_GAS)) {
            emit Moved(key, msg.sender, EXCESS, source.token, deposit, source.refundTo, over);
        }
    }

    function _collect(Source calldata source, bytes32 key, address deposit) private {
        uint256 before = Money.held(source.token, source.bridger);
        if (
            !DepositAddress(payable(deposit)).pay(
                source.token, source.bridger, source.total, Money.ALL_GAS
            )
        ) revert Refused(source.bridger);
        // A token that keeps a part of each transfer is not collected but refunded.
        if (Money.held(source.token, source.bridger) - before < source.total) {
            revert ReceivedLess(source.bridger);
        }
        emit Moved(key, msg.sender, START, source.token, deposit, source.bridger, source.total);
    }

    function _refundable(Source calldata source, bytes32 destHash, address token)
        private
        returns (bytes32 key, address deposit, uint256 units)
    {
        key = Terms.keyOf(source, destHash);
        if (source.chain != block.chainid) {
            if (!mayAct(source.coordinator, msg.sender)) revert NotAllowed();
        } else if (token == source.token && block.timestamp < source.expiry && !started[key]) {
            revert TooEarly();
        }
        deposit = addressOf(key);
        units = Money.held(token, deposit);
        if (units == 0) revert NothingLeft();
        _deployed(key);
    }

    /// The deposit address of a key, with its code.
    function _deployed(bytes32 key) private returns (address deposit) {
        deposit = addressOf(key);
        if (deposit.code.length != 0) return deposit;
        bytes memory code = _cloneCode();
        assembly ("memory-safe") {
            deposit := create2(0, add(code, 32), mload(code), key)
        }
        if (deposit == address(0)) revert BadTerms();
    }

    function _cloneCode() private view returns (bytes memory) {
        // EIP-1167: forwards every call to the implementation.
        return abi.encodePacked(
            hex"3d602d80600a3d3981f3363d3d373d3d3d363d73",
            IMPLEMENTATION,
            hex"5af43d82803e903d91602b57fd5bf3"
        );
    }

    function _at(bytes32 salt, bytes32 codeHash) private view returns (address) {
        return address(
            uint160(uint256(keccak256(abi.encodePacked(PREFIX, address(this), salt, codeHash))))
        );
    }
}
