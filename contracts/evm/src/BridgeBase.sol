// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SettlementBase} from "./SettlementBase.sol";
import {Destination, Source, Terms} from "./Terms.sol";
import {Transfers} from "./Transfers.sol";

interface IFactory {
    function start(Source calldata source, bytes32 destHash) external;
    function refund(Source calldata source, bytes32 destHash, address token) external;
    function started(bytes32 intentHash) external view returns (bool);
    function depositAddress(bytes32 intentHash) external view returns (address);
    function isAuthorized(address coordinator, address account) external view returns (bool);
}

interface IFiller {
    function repayTo(bytes32 intentHash) external view returns (address);
    function fill(
        bytes32 sourceHash,
        address token,
        address recipient,
        uint256 amount,
        address repayTo_,
        uint256 notAfter
    ) external payable;
}

/// Both ends of a bridge, at the same address on every chain: the `bridger` of an intent on its
/// source chain, and what the bridge delivers to on its destination chain. What it collects can only
/// go into the bridge towards the agreed recipient, or back to the deposit address; what arrives can
/// only go to the recipient or to whoever paid the recipient before, and what is left of it is owed
/// to the coordinator. Has no owner and cannot be changed.
abstract contract BridgeBase is SettlementBase {
    /// What happened to a collected deposit on the source chain.
    uint8 internal constant SENT = 1;
    uint8 internal constant GIVEN_BACK = 2;
    /// What happened to what arrived on the destination chain.
    uint8 internal constant PAID = 1; // The recipient was paid from it.
    uint8 internal constant REPAID = 2; // Whoever had paid the recipient was repaid.
    uint8 internal constant REPEATED = 3; // An arrival before had been used: all is the coordinator's.
    uint8 internal constant PARKED = 4; // The recipient cannot be paid: see `ParkingBridge`.
    uint8 internal constant RELEASED = 5;
    uint8 internal constant UNPARKED = 6;

    IFactory public immutable FACTORY;
    IFiller public immutable FILLER;

    /// On the source chain: SENT or GIVEN_BACK.
    mapping(bytes32 intentHash => uint8) public spent;
    /// On the destination chain: PAID to UNPARKED.
    mapping(bytes32 intentHash => uint8) public arrived;
    /// What is left of arrivals, by coordinator; each withdraws its own.
    mapping(address coordinator => mapping(address token => uint256 amount)) public owed;

    /// The whole deposit of an intent went into the bridge; `bridgeId` is the bridge's own number
    /// of it, zero where it has none yet.
    event Sent(
        bytes32 indexed intentHash,
        address indexed caller,
        address token,
        uint256 amount,
        bytes32 bridgeId
    );
    /// `got` arrived for an intent; `paid` of it went to the recipient or to whoever had paid it, and
    /// `credited` is owed to the coordinator. `outcome` is a value of `arrived`, or REPEATED.
    event Arrived(
        bytes32 indexed intentHash,
        address indexed caller,
        uint8 indexed outcome,
        address token,
        uint256 got,
        uint256 paid,
        uint256 credited
    );

    error AlreadySent();
    error AlreadyGivenBack();
    error NotStarted();
    error Expired();
    error TooEarly();
    error ExceedsAvailable();
    error BridgeFailed();

    constructor(address factory, address filler) {
        FACTORY = IFactory(factory);
        FILLER = IFiller(filler);
    }

    /// Return a collected deposit that was not sent to its deposit address, and from there, if it
    /// accepts, to `refundTo`. From expiry on anyone can call this, before that the coordinator and
    /// its agents. Afterwards the intent cannot be sent any more.
    function giveBack(Source calldata source, bytes32 destHash) external nonReentrant {
        bytes32 intentHash = _requireUnspent(source, destHash);
        if (!FACTORY.started(intentHash)) revert NotStarted();
        if (
            block.timestamp < source.expiry
                && !FACTORY.isAuthorized(source.coordinator, msg.sender)
        ) revert TooEarly();
        spent[intentHash] = GIVEN_BACK;
        address deposit = FACTORY.depositAddress(intentHash);
        _pay(intentHash, GIVE_BACK, source.token, deposit, source.total);
        // Refused, or short of gas: it stays at the deposit address, where anyone can refund it.
        try FACTORY.refund(source, destHash, source.token) {} catch {}
    }

    /// Withdraw what is owed to the caller.
    function withdraw(address token, address to, uint256 amount) external nonReentrant {
        if (amount > owed[msg.sender][token]) revert ExceedsAvailable();
        owed[msg.sender][token] -= amount;
        _pay(0, WITHDRAW, token, to, amount);
    }

    /// What `spent` and `arrived` have of these intents.
    function statesOf(bytes32[] calldata intentHashes)
        external
        view
        returns (uint8[] memory spent_, uint8[] memory arrived_)
    {
        spent_ = new uint8[](intentHashes.length);
        arrived_ = new uint8[](intentHashes.length);
        for (uint256 i = 0; i < intentHashes.length; ++i) {
            spent_[i] = spent[intentHashes[i]];
            arrived_[i] = arrived[intentHashes[i]];
        }
    }

    /// Mark an intent as sent, and collect its deposit unless anyone has started it before: starting
    /// is public, and what was collected then must not be stuck.
    function _collect(Source calldata source, Destination calldata destination)
        internal
        returns (bytes32 intentHash)
    {
        bytes32 destHash = keccak256(abi.encode(destination));
        intentHash = _requireUnspent(source, destHash);
        if (block.timestamp >= source.expiry) revert Expired();
        if (
            source.refundTo == address(0) || source.token == Transfers.NATIVE
                || destination.token == Transfers.NATIVE || destination.amount == 0
                || destination.recipient == address(0) || destination.recipient == address(this)
                || destination.chain == source.chain
        ) revert InvalidTerms();
        spent[intentHash] = SENT;
        if (!FACTORY.started(intentHash)) FACTORY.start(source, destHash);
    }

    /// Use what arrived: for the recipient, or for whoever paid the recipient before.
    function _arrive(Source memory source, Destination memory destination, uint256 got) internal {
        bytes32 sourceHash = keccak256(abi.encode(source));
        bytes32 intentHash = Terms.joinHashes(sourceHash, keccak256(abi.encode(destination)));
        address token = destination.token;
        address payee = FILLER.repayTo(intentHash);
        bool first = arrived[intentHash] == 0;
        uint256 paid;
        uint8 outcome;
        if (!first || payee == address(this)) {
            outcome = REPEATED;
        } else if (payee != address(0)) {
            outcome = REPAID;
            paid = got < destination.amount ? got : destination.amount;
            _repay(intentHash, REPAY, token, payee, paid);
        } else if (got >= destination.amount && _tryFill(sourceHash, destination)) {
            outcome = PAID;
            paid = destination.amount;
        } else {
            outcome = PARKED;
        }
        if (first) arrived[intentHash] = outcome;
        uint256 credited;
        if (outcome == PARKED) {
            _park(intentHash, destination.recipient, got);
        } else {
            credited = got - paid;
            owed[source.coordinator][token] += credited;
        }
        emit Arrived(intentHash, msg.sender, outcome, token, got, paid, credited);
    }

    /// Keep what arrived for a recipient that cannot be paid, or revert the arrival.
    function _park(bytes32 intentHash, address recipient, uint256 got) internal virtual;

    /// Pay whoever paid the recipient, or owe it to them where they cannot be paid.
    function _repay(bytes32 intentHash, uint8 kind, address token, address payee, uint256 amount)
        internal
    {
        if (Transfers.tryTransfer(token, payee, amount, Transfers.NO_GAS_LIMIT)) {
            emit TokensMoved(intentHash, msg.sender, kind, token, address(this), payee, amount);
        } else {
            owed[payee][token] += amount;
        }
    }

    /// Pay the recipient through the filler, which does so once, whoever pays. Returns false, and
    /// nothing moved, if the token refuses. Any other failure reverts: the filler can be in the
    /// middle of another payout, whose token or receiver calls this, and what runs dry of gas in
    /// there is no refusal. Where the transfer itself runs dry, too little is left to go on here.
    function _tryFill(bytes32 sourceHash, Destination memory destination)
        internal
        returns (bool)
    {
        if (!Transfers.tryApprove(destination.token, address(FILLER), destination.amount)) {
            return false;
        }
        try FILLER.fill(
            sourceHash,
            destination.token,
            destination.recipient,
            destination.amount,
            address(this),
            block.timestamp
        ) {
            return true;
        } catch (bytes memory reason) {
            bytes4 why = bytes4(reason);
            if (why != TransferFailed.selector && why != ReceivedLess.selector) {
                revert BridgeFailed();
            }
            Transfers.tryApprove(destination.token, address(FILLER), 0);
            return false;
        }
    }

    function _pay(bytes32 intentHash, uint8 kind, address token, address to, uint256 amount)
        internal
    {
        if (amount == 0) revert NothingToTransfer();
        if (
            to == address(0)
                || !Transfers.tryTransfer(token, to, amount, Transfers.NO_GAS_LIMIT)
        ) revert TransferFailed(to);
        emit TokensMoved(intentHash, msg.sender, kind, token, address(this), to, amount);
    }

    function _requireUnspent(Source calldata source, bytes32 destHash)
        internal
        view
        returns (bytes32 intentHash)
    {
        if (source.chain != block.chainid) revert WrongChain();
        if (source.bridger != address(this)) revert InvalidTerms();
        intentHash = Terms.hashIntent(source, destHash);
        if (spent[intentHash] == SENT) revert AlreadySent();
        if (spent[intentHash] == GIVEN_BACK) revert AlreadyGivenBack();
    }
}
