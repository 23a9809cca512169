// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {DepositAddress} from "./DepositAddress.sol";
import {SettlementBase} from "./SettlementBase.sol";
import {Source, Terms} from "./Terms.sol";
import {Transfers} from "./Transfers.sol";

/// Creates deposit addresses and decides what leaves them: the exact total to `bridger`, once and
/// before expiry; everything else to `refundTo`. Has no owner and cannot be changed.
contract IntentFactory is SettlementBase {
    /// How long after expiry the coordinator has to wait before it can redirect a refund.
    uint256 public constant REDIRECT_DELAY = 3 days;
    /// The gas limit for returning excess, so that it can never block a start.
    uint256 private constant EXCESS_GAS_LIMIT = 300_000;
    /// The gas that a redirect must have left, so that `refundTo` cannot be made to fail by giving
    /// it too little.
    uint256 private constant MIN_REDIRECT_GAS = 350_000;

    /// The first byte of the CREATE2 preimage: 0xff on EVM chains, 0x41 on Tron.
    bytes1 public immutable CREATE2_PREFIX;
    address public immutable IMPLEMENTATION;
    bytes32 private immutable CLONE_CODE_HASH;

    /// Whether an intent was started.
    mapping(bytes32 intentHash => bool) public started;
    /// Accounts that can act for a coordinator: settle in the escrow, refund on another chain.
    mapping(address coordinator => mapping(address agent => bool)) public agents;

    event AgentSet(address indexed coordinator, address indexed agent, bool allowed);

    error AlreadyStarted();
    error Expired();
    error TooEarly();
    error InsufficientDeposit(uint256 balance, uint256 total);

    constructor(bytes1 create2Prefix) {
        CREATE2_PREFIX = create2Prefix;
        IMPLEMENTATION = address(new DepositAddress{salt: 0}());
        CLONE_CODE_HASH = keccak256(_cloneCode());
        // Refuse deployment on a chain whose CREATE2 uses another prefix.
        if (IMPLEMENTATION != _create2Address(0, keccak256(type(DepositAddress).creationCode))) {
            revert InvalidTerms();
        }
    }

    /// Pay the exact total to `bridger` and return excess, best effort, to `refundTo`. Anyone can
    /// call this.
    function start(Source calldata source, bytes32 destHash) external nonReentrant {
        _start(source, destHash);
    }

    /// Start several intents, all or none.
    function startMany(Source[] calldata sources, bytes32[] calldata destHashes)
        external
        nonReentrant
    {
        if (sources.length != destHashes.length) revert InvalidTerms();
        for (uint256 i = 0; i < sources.length; ++i) {
            _start(sources[i], destHashes[i]);
        }
    }

    /// Return the whole balance of a token to `refundTo`: of the deposit token from expiry on or
    /// once started, of any other token at any time. Anyone can call this. On a chain other than
    /// the source chain, where the address exists too, only the coordinator and its agents can,
    /// because `refundTo` may belong to somebody else there.
    function refund(Source calldata source, bytes32 destHash, address token) external nonReentrant {
        (bytes32 hash, address deposit, uint256 amount) = _prepareRefund(source, destHash, token);
        DepositAddress account = DepositAddress(payable(deposit));
        if (!account.pay(token, source.refundTo, amount, Transfers.NO_GAS_LIMIT)) {
            revert TransferFailed(source.refundTo);
        }
        emit TokensMoved(hash, msg.sender, REFUND, token, deposit, source.refundTo, amount);
    }

    /// Refund to another address because `refundTo` refuses: `refundTo` is tried first and paid if
    /// it accepts. Only the coordinator can call this, `REDIRECT_DELAY` after expiry.
    function redirect(Source calldata source, bytes32 destHash, address token, address to)
        external
        nonReentrant
    {
        if (msg.sender != source.coordinator) revert NotAuthorized();
        if (
            block.timestamp < source.expiry || block.timestamp - source.expiry < REDIRECT_DELAY
        ) revert TooEarly();
        if (to == address(0)) revert InvalidTerms();
        (bytes32 hash, address deposit, uint256 amount) = _prepareRefund(source, destHash, token);
        DepositAddress account = DepositAddress(payable(deposit));
        if (gasleft() < MIN_REDIRECT_GAS) revert InvalidTerms();
        address receiver = source.refundTo;
        if (
            receiver == address(0)
                || !account.pay(token, receiver, amount, Transfers.NO_GAS_LIMIT)
        ) {
            receiver = to;
            if (!account.pay(token, to, amount, Transfers.NO_GAS_LIMIT)) revert TransferFailed(to);
        }
        emit TokensMoved(hash, msg.sender, REFUND, token, deposit, receiver, amount);
    }

    /// Allow an account to act for the caller as coordinator, or revoke that.
    function setAgent(address agent, bool allowed) external {
        agents[msg.sender][agent] = allowed;
        emit AgentSet(msg.sender, agent, allowed);
    }

    /// Whether an account can act for a coordinator.
    function isAuthorized(address coordinator, address account) public view returns (bool) {
        return account == coordinator || agents[coordinator][account];
    }

    /// Which of these intents were started.
    function executed(bytes32[] calldata hashes) external view returns (bool[] memory results) {
        results = new bool[](hashes.length);
        for (uint256 i = 0; i < hashes.length; ++i) results[i] = started[hashes[i]];
    }

    /// The deposit address of an intent hash, deployed or not.
    function depositAddress(bytes32 hash) public view returns (address) {
        return _create2Address(hash, CLONE_CODE_HASH);
    }

    /// The intent hash of these terms.
    function intentHash(Source calldata source, bytes32 destHash) external pure returns (bytes32) {
        return Terms.hashIntent(source, destHash);
    }

    function _start(Source calldata source, bytes32 destHash) private {
        if (source.chain != block.chainid) revert WrongChain();
        if (block.timestamp >= source.expiry) revert Expired();
        if (source.total == 0 || source.bridger == address(0)) revert InvalidTerms();
        bytes32 hash = Terms.hashIntent(source, destHash);
        if (started[hash]) revert AlreadyStarted();
        started[hash] = true;
        address deposit = _ensureDeployed(hash);
        uint256 balance = Transfers.balanceOf(source.token, deposit);
        if (balance < source.total) revert InsufficientDeposit(balance, source.total);
        _collect(source, hash, deposit);
        uint256 excess = Transfers.balanceOf(source.token, deposit);
        if (excess == 0 || source.refundTo == address(0)) return;
        DepositAddress account = DepositAddress(payable(deposit));
        if (account.pay(source.token, source.refundTo, excess, EXCESS_GAS_LIMIT)) {
            emit TokensMoved(
                hash, msg.sender, EXCESS, source.token, deposit, source.refundTo, excess
            );
        }
    }

    function _collect(Source calldata source, bytes32 hash, address deposit) private {
        uint256 balanceBefore = Transfers.balanceOf(source.token, source.bridger);
        if (
            !DepositAddress(payable(deposit)).pay(
                source.token, source.bridger, source.total, Transfers.NO_GAS_LIMIT
            )
        ) revert TransferFailed(source.bridger);
        // A fee-on-transfer token is not collected but refunded.
        if (Transfers.balanceOf(source.token, source.bridger) - balanceBefore < source.total) {
            revert ReceivedLess(source.bridger);
        }
        emit TokensMoved(
            hash, msg.sender, START, source.token, deposit, source.bridger, source.total
        );
    }

    /// Check that a refund is allowed, deploy the deposit address, and return what to refund.
    function _prepareRefund(Source calldata source, bytes32 destHash, address token)
        private
        returns (bytes32 hash, address deposit, uint256 amount)
    {
        hash = Terms.hashIntent(source, destHash);
        if (source.chain != block.chainid) {
            if (!isAuthorized(source.coordinator, msg.sender)) revert NotAuthorized();
        } else if (token == source.token && block.timestamp < source.expiry && !started[hash]) {
            revert TooEarly();
        }
        deposit = depositAddress(hash);
        amount = Transfers.balanceOf(token, deposit);
        if (amount == 0) revert NothingToTransfer();
        _ensureDeployed(hash);
    }

    /// The deposit address of an intent hash; its clone is deployed if it is not there yet.
    function _ensureDeployed(bytes32 hash) private returns (address deposit) {
        deposit = depositAddress(hash);
        if (deposit.code.length != 0) return deposit;
        bytes memory code = _cloneCode();
        assembly ("memory-safe") {
            deposit := create2(0, add(code, 32), mload(code), hash)
        }
        if (deposit == address(0)) revert InvalidTerms();
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
        bytes memory preimage = abi.encodePacked(CREATE2_PREFIX, address(this), salt, codeHash);
        return address(uint160(uint256(keccak256(preimage))));
    }
}
