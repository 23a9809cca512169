// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IPermit2 {
    struct TokenPermissions {
        address token;
        uint256 amount;
    }

    struct PermitTransferFrom {
        TokenPermissions permitted;
        uint256 nonce;
        uint256 deadline;
    }

    struct SignatureTransferDetails {
        address to;
        uint256 requestedAmount;
    }

    function permitWitnessTransferFrom(
        PermitTransferFrom calldata permit,
        SignatureTransferDetails calldata details,
        address owner,
        bytes32 witness,
        string calldata witnessTypeString,
        bytes calldata signature
    ) external;
}

/// Moves a payer's tokens by a signature for Permit2 to the address that the payer signed for.
/// Permit2 lets its spender choose the receiver, and takes any witness: a key as spender could send
/// the money anywhere. This contract is the spender, and makes the witness of the receiver itself. It
/// holds nothing and has no rights; anyone may call it.
contract PermitPayIn {
    IPermit2 private constant PERMIT2 = IPermit2(0x000000000022D473030F116dDEE9F6B43aC78BA3);
    bytes32 private constant DEPOSIT = keccak256("Deposit(address to)");
    string private constant WITNESS =
        "Deposit witness)Deposit(address to)TokenPermissions(address token,uint256 amount)";

    /// Move exactly the permitted amount from its owner to the receiver that the owner signed for.
    function pay(
        IPermit2.PermitTransferFrom calldata permit,
        address owner,
        address to,
        bytes calldata signature
    ) external {
        PERMIT2.permitWitnessTransferFrom(
            permit,
            IPermit2.SignatureTransferDetails(to, permit.permitted.amount),
            owner,
            keccak256(abi.encode(DEPOSIT, to)),
            WITNESS,
            signature
        );
    }
}
