// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {DepositAddress} from "./DepositAddress.sol";
import {IntentFactory} from "./IntentFactory.sol";
import {SettlementBase} from "./SettlementBase.sol";
import {Source, Terms} from "./Terms.sol";
import {Transfers} from "./Transfers.sol";

/// A token that a standing address accepts. What is forwarded at once is at least `minimum`; `rate`
/// is how many units of the destination's token a unit of it is at par, times 1e18.
struct TokenRule {
    address token;
    uint256 minimum;
    uint256 rate;
}

/// The terms of a standing address. The destination's fields are words, as of any chain family.
struct StandingTerms {
    uint256 chain;
    uint256 nonce;
    address recovery; // What is not forwarded goes there; the refund address of every intent.
    address coordinator;
    uint256 destinationChain;
    uint256 destinationToken;
    uint256 recipient;
    uint256 maxFeeBps;
    TokenRule[] tokens;
    address[] bridgers; // The collecting accounts that an intent may have.
}

/// Creates standing addresses and decides what leaves them: a deposit to the deposit address of an
/// intent with the terms' recipient, or to `recovery`. Has no owner and cannot be changed.
contract StandingFactory is SettlementBase {
    /// How long after `flag` anyone can return what an accepted token has there.
    uint256 public constant RETURN_DELAY = 1 days;
    /// How long an intent may live to which a deposit is forwarded: until its expiry, it can be held
    /// there.
    uint256 public constant MAX_LIFE = 2 days;
    uint256 private constant RATE_UNIT = 1e18;
    uint256 private constant BASIS_POINTS = 10_000;
    /// The flat part of the highest fee is the minimum divided by this.
    uint256 private constant FLAT_DIVISOR = 10;
    /// Values of `kind` in `TokensMoved`.
    uint8 private constant FORWARD = 13;
    uint8 private constant RECOVER = 14;

    struct Flag {
        uint256 amount;
        uint256 time;
    }

    IntentFactory private immutable FACTORY;
    address public immutable IMPLEMENTATION;
    bytes32 private immutable CLONE_CODE_HASH;

    /// By standing address and deposit, whether it left, forwarded or to `recovery`.
    mapping(bytes32 hash => bool) private _left;
    /// By standing address and token, what was there when somebody flagged it.
    mapping(bytes32 standingHash => mapping(address token => Flag)) public flags;

    event Flagged(bytes32 indexed standingHash, address indexed token, uint256 amount);

    error AlreadyLeft();
    error Expired();
    error TooEarly();
    error InsufficientBalance(uint256 balance, uint256 amount);
    error AmountTooLow(uint256 least);

    constructor(address factory) {
        FACTORY = IntentFactory(factory);
        IMPLEMENTATION = address(new DepositAddress{salt: 0}());
        CLONE_CODE_HASH = keccak256(_cloneCode());
        if (IMPLEMENTATION != _create2Address(0, keccak256(type(DepositAddress).creationCode))) {
            revert InvalidTerms();
        }
    }

    /// Forward a deposit to the deposit address of the intent with `source` and the terms' recipient,
    /// who is paid `amount`. Only the coordinator and its agents can, before the intent expires.
    function forward(
        StandingTerms calldata terms,
        Source calldata source,
        uint256 amount,
        bytes32 depositId
    ) external nonReentrant {
        bytes32 standingHash = _requireAgent(terms);
        if (terms.chain != block.chainid || source.chain != block.chainid) revert WrongChain();
        if (block.timestamp >= source.expiry) revert Expired();
        if (
            source.expiry - block.timestamp > MAX_LIFE || terms.recovery == address(0) || source.refundTo != terms.recovery
                || source.coordinator != terms.coordinator
        ) revert InvalidTerms();
        _requireBridger(terms.bridgers, source.bridger);
        _requireAmount(terms, source.token, source.total, amount);
        bytes32 intentHash = Terms.hashIntent(
            source,
            keccak256(
                abi.encode(
                    terms.destinationChain, terms.destinationToken, terms.recipient, amount
                )
            )
        );
        if (FACTORY.started(intentHash)) revert InvalidTerms();
        _markLeft(standingHash, depositId);
        _forward(standingHash, intentHash, source.token, source.total);
        _lowerFlag(standingHash, source.token, source.total);
    }

    /// Send a deposit to `recovery`. Only the coordinator and its agents can, on any chain.
    function recover(
        StandingTerms calldata terms,
        address token,
        uint256 amount,
        bytes32 depositId
    ) external nonReentrant {
        bytes32 standingHash = _requireAgent(terms);
        _markLeft(standingHash, depositId);
        _recover(terms, standingHash, token, amount);
    }

    /// Send what is there to `recovery`: all of a token that is not accepted, at any time; of an
    /// accepted one what was flagged `RETURN_DELAY` ago and is still there. Anyone can call this, but
    /// only on the terms' chain: on others `recovery` may belong to somebody else.
    function recoverUnserved(StandingTerms calldata terms, address token) external nonReentrant {
        if (terms.chain != block.chainid) revert WrongChain();
        bytes32 standingHash = hashTerms(terms);
        uint256 amount = Transfers.balanceOf(token, standingAddress(standingHash));
        if (_isAccepted(terms.tokens, token)) {
            Flag memory flagged = flags[standingHash][token];
            if (flagged.amount == 0 || block.timestamp - flagged.time < RETURN_DELAY) {
                revert TooEarly();
            }
            if (flagged.amount < amount) amount = flagged.amount;
        }
        _recover(terms, standingHash, token, amount);
    }

    /// Note what an accepted token has there now, unless an earlier flag waits: so much of it can be
    /// returned by anyone after `RETURN_DELAY`, where it was not forwarded. Anyone can call this.
    function flag(StandingTerms calldata terms, address token) external nonReentrant {
        if (terms.chain != block.chainid) revert WrongChain();
        bytes32 standingHash = hashTerms(terms);
        uint256 balance = Transfers.balanceOf(token, standingAddress(standingHash));
        if (balance == 0) revert NothingToTransfer();
        if (flags[standingHash][token].amount != 0 || !_isAccepted(terms.tokens, token)) {
            revert InvalidTerms();
        }
        flags[standingHash][token] = Flag(balance, block.timestamp);
        emit Flagged(standingHash, token, balance);
    }

    /// Which of these deposits have left, forwarded or to `recovery`; by their hashes.
    function executed(bytes32[] calldata depositHashes)
        external
        view
        returns (bool[] memory results)
    {
        results = new bool[](depositHashes.length);
        for (uint256 i = 0; i < depositHashes.length; ++i) {
            results[i] = _left[depositHashes[i]];
        }
    }

    /// What identifies a deposit at a standing address.
    function depositHash(bytes32 standingHash, bytes32 depositId) public pure returns (bytes32) {
        return keccak256(abi.encode(standingHash, depositId));
    }

    /// The hash of a standing address's terms, which is the same on every chain.
    function hashTerms(StandingTerms calldata terms) public pure returns (bytes32) {
        return keccak256(abi.encode(terms));
    }

    /// The standing address of a hash of terms, deployed or not.
    function standingAddress(bytes32 standingHash) public view returns (address) {
        return _create2Address(standingHash, CLONE_CODE_HASH);
    }

    function _requireAgent(StandingTerms calldata terms) private view returns (bytes32) {
        if (!FACTORY.isAuthorized(terms.coordinator, msg.sender)) revert NotAuthorized();
        return hashTerms(terms);
    }

    function _requireBridger(address[] calldata bridgers, address bridger) private pure {
        for (uint256 i = 0; i < bridgers.length; ++i) {
            if (bridgers[i] == bridger) return;
        }
        revert InvalidTerms();
    }

    /// The recipient gets what is forwarded at par, less the highest fee at most.
    function _requireAmount(
        StandingTerms calldata terms,
        address token,
        uint256 total,
        uint256 amount
    ) private pure {
        for (uint256 i = 0; i < terms.tokens.length; ++i) {
            TokenRule calldata rule = terms.tokens[i];
            if (rule.token != token) continue;
            if (total == 0 || total < rule.minimum) revert InvalidTerms();
            uint256 fee = total * terms.maxFeeBps / BASIS_POINTS + rule.minimum / FLAT_DIVISOR;
            uint256 least = fee < total ? (total - fee) * rule.rate / RATE_UNIT : 0;
            if (amount < least) revert AmountTooLow(least);
            return;
        }
        revert InvalidTerms();
    }

    function _isAccepted(TokenRule[] calldata tokens, address token) private pure returns (bool) {
        for (uint256 i = 0; i < tokens.length; ++i) {
            if (tokens[i].token == token) return true;
        }
        return false;
    }

    function _markLeft(bytes32 standingHash, bytes32 depositId) private {
        bytes32 hash = depositHash(standingHash, depositId);
        if (_left[hash]) revert AlreadyLeft();
        _left[hash] = true;
    }

    function _forward(bytes32 standingHash, bytes32 intentHash, address token, uint256 total)
        private
    {
        address to = FACTORY.depositAddress(intentHash);
        uint256 before = Transfers.balanceOf(token, to);
        address from = _pay(standingHash, token, to, total);
        // A fee-on-transfer token is not forwarded but recovered.
        if (Transfers.balanceOf(token, to) - before < total) revert ReceivedLess(to);
        emit TokensMoved(intentHash, msg.sender, FORWARD, token, from, to, total);
    }

    function _recover(
        StandingTerms calldata terms,
        bytes32 standingHash,
        address token,
        uint256 amount
    ) private {
        if (amount == 0) revert NothingToTransfer();
        if (terms.recovery == address(0)) revert InvalidTerms();
        address from = _pay(standingHash, token, terms.recovery, amount);
        _lowerFlag(standingHash, token, amount);
        emit TokensMoved(standingHash, msg.sender, RECOVER, token, from, terms.recovery, amount);
    }

    function _pay(bytes32 standingHash, address token, address to, uint256 amount)
        private
        returns (address from)
    {
        from = standingAddress(standingHash);
        uint256 balance = Transfers.balanceOf(token, from);
        if (balance < amount) revert InsufficientBalance(balance, amount);
        _ensureDeployed(standingHash, from);
        if (!DepositAddress(payable(from)).pay(token, to, amount, Transfers.NO_GAS_LIMIT)) {
            revert TransferFailed(to);
        }
    }

    /// What leaves is taken to be what was flagged first.
    function _lowerFlag(bytes32 standingHash, address token, uint256 amount) private {
        uint256 flagged = flags[standingHash][token].amount;
        if (flagged == 0) return;
        flags[standingHash][token].amount = flagged > amount ? flagged - amount : 0;
    }

    function _ensureDeployed(bytes32 standingHash, address standing) private {
        if (standing.code.length != 0) return;
        bytes memory code = _cloneCode();
        address deployed;
        assembly ("memory-safe") {
            deployed := create2(0, add(code, 32), mload(code), standingHash)
        }
        if (deployed != standing) revert InvalidTerms();
    }

    /// The creation code of an EIP-1167 clone, which delegates every call to the implementation.
    function _cloneCode() private view returns (bytes memory) {
        return abi.encodePacked(
            hex"3d602d80600a3d3981f3363d3d373d3d3d363d73",
            IMPLEMENTATION,
            hex"5af43d82803e903d91602b57fd5bf3"
        );
    }

    function _create2Address(bytes32 salt, bytes32 codeHash) private view returns (address) {
        bytes memory preimage = abi.encodePacked(hex"ff", address(this), salt, codeHash);
        return address(uint160(uint256(keccak256(preimage))));
    }
}
