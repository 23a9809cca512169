// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BridgeBase} from "./BridgeBase.sol";
import {Destination, Source, Terms} from "./Terms.sol";
import {Transfers} from "./Transfers.sol";

/// A bridge that cannot return what arrived for a recipient that cannot be paid: it is parked.
abstract contract ParkingBridge is BridgeBase {
    /// How long parked money waits for `release` before the coordinator can take it.
    uint256 public constant UNPARK_DELAY = 30 days;

    struct Parked {
        uint256 amount;
        uint256 since;
    }

    mapping(bytes32 intentHash => Parked) public parked;

    error NotParked();
    error AlreadyPaid();

    /// Pay parked money to its recipient, and to nobody else: another address would evade a token's
    /// deny list. Where somebody paid the recipient since, they are repaid. The caller adds what
    /// the recipient's amount lacks by its allowance. Anyone can call this.
    function release(Source calldata source, Destination calldata destination)
        external
        nonReentrant
    {
        (bytes32 intentHash, uint256 got) = _takeParked(source, destination, RELEASED);
        uint256 amount = destination.amount;
        address token = destination.token;
        address payee = FILLER.repayTo(intentHash);
        uint256 paid;
        if (payee == address(0)) {
            if (got < amount) {
                _takeFromCaller(intentHash, token, amount - got);
                got = amount;
            }
            if (!_tryFill(keccak256(abi.encode(source)), destination)) {
                revert TransferFailed(destination.recipient);
            }
            paid = amount;
        } else if (payee != address(this)) {
            paid = got < amount ? got : amount;
            _repay(intentHash, RELEASE, token, payee, paid);
        }
        owed[source.coordinator][token] += got - paid;
        emit Arrived(intentHash, msg.sender, RELEASED, token, got, paid, got - paid);
    }

    /// Credit parked money that nobody could release for `UNPARK_DELAY` to the coordinator, which
    /// alone can call this. Where somebody has paid the recipient since, `release` repays them.
    function unpark(Source calldata source, Destination calldata destination)
        external
        nonReentrant
    {
        if (msg.sender != source.coordinator) revert NotAuthorized();
        bytes32 intentHash = Terms.hashIntent(source, keccak256(abi.encode(destination)));
        if (block.timestamp - parked[intentHash].since < UNPARK_DELAY) revert TooEarly();
        if (FILLER.repayTo(intentHash) != address(0)) revert AlreadyPaid();
        (, uint256 got) = _takeParked(source, destination, UNPARKED);
        owed[source.coordinator][destination.token] += got;
        emit Arrived(intentHash, msg.sender, UNPARKED, destination.token, got, 0, got);
    }

    function _park(bytes32 intentHash, address, uint256 got) internal override {
        parked[intentHash] = Parked(got, block.timestamp);
    }

    function _takeParked(Source calldata source, Destination calldata destination, uint8 outcome)
        private
        returns (bytes32 intentHash, uint256 got)
    {
        if (destination.chain != block.chainid) revert WrongChain();
        if (source.bridger != address(this)) revert InvalidTerms();
        intentHash = Terms.hashIntent(source, keccak256(abi.encode(destination)));
        if (arrived[intentHash] != PARKED) revert NotParked();
        arrived[intentHash] = outcome;
        got = parked[intentHash].amount;
        delete parked[intentHash];
    }

    function _takeFromCaller(bytes32 intentHash, address token, uint256 amount) private {
        uint256 balanceBefore = Transfers.balanceOf(token, address(this));
        if (!Transfers.tryTransferFrom(token, msg.sender, address(this), amount)) {
            revert TransferFailed(address(this));
        }
        if (Transfers.balanceOf(token, address(this)) - balanceBefore < amount) {
            revert ReceivedLess(address(this));
        }
        emit TokensMoved(
            intentHash, msg.sender, RELEASE, token, msg.sender, address(this), amount
        );
    }
}
