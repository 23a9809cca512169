// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {GatewayCommonStandIn, IToken, TransferSpec} from "./GatewayFormats.sol";

/// GatewayWallet: takes deposits, and burns them by intents that their depositors signed.
contract GatewayWalletStandIn is GatewayCommonStandIn {
    enum Delegation {
        NONE,
        AUTHORIZED,
        REVOKED
    }

    bytes32 private constant SPEC_TYPE_HASH = keccak256(
        "TransferSpec(uint32 version,uint32 sourceDomain,uint32 destinationDomain,"
        "bytes32 sourceContract,bytes32 destinationContract,bytes32 sourceToken,"
        "bytes32 destinationToken,bytes32 sourceDepositor,bytes32 destinationRecipient,"
        "bytes32 sourceSigner,bytes32 destinationCaller,uint256 value,bytes32 salt,bytes hookData)"
    );
    bytes32 private constant INTENT_TYPE_HASH = keccak256(
        "BurnIntent(uint256 maxBlockHeight,uint256 maxFee,TransferSpec spec)"
        "TransferSpec(uint32 version,uint32 sourceDomain,uint32 destinationDomain,"
        "bytes32 sourceContract,bytes32 destinationContract,bytes32 sourceToken,"
        "bytes32 destinationToken,bytes32 sourceDepositor,bytes32 destinationRecipient,"
        "bytes32 sourceSigner,bytes32 destinationCaller,uint256 value,bytes32 salt,bytes hookData)"
    );

    uint256 public withdrawalDelay;
    address public feeRecipient;
    mapping(address => mapping(address => uint256)) public availableBalance;
    mapping(address => mapping(address => uint256)) public withdrawingBalance;
    mapping(address => mapping(address => uint256)) public withdrawalBlock;
    mapping(address => mapping(address => mapping(address => Delegation))) private _delegations;

    event Deposited(
        address indexed token, address indexed depositor, address indexed sender, uint256 value
    );
    event DelegateAdded(address indexed token, address indexed depositor, address delegate);
    event DelegateRemoved(address indexed token, address indexed depositor, address delegate);
    event WithdrawalInitiated(
        address indexed token,
        address indexed depositor,
        uint256 value,
        uint256 remainingAvailable,
        uint256 totalWithdrawing,
        uint256 withdrawalBlock
    );
    event WithdrawalCompleted(address indexed token, address indexed depositor, uint256 value);
    event GatewayBurned(
        address indexed token,
        address indexed depositor,
        bytes32 indexed transferSpecHash,
        uint32 destinationDomain,
        bytes32 destinationRecipient,
        address signer,
        uint256 value,
        uint256 fee,
        uint256 fromAvailable,
        uint256 fromWithdrawing
    );

    error DepositValueMustBePositive();
    error InvalidDepositor();
    error CannotDelegateToSelf();
    error WithdrawalValueMustBePositive();
    error WithdrawalValueExceedsAvailableBalance();
    error WithdrawalNotYetAvailable();
    error NoWithdrawingBalance();
    error IntentExpiredAtIndex(uint32 index, uint256 maxBlockHeight, uint256 currentBlock);
    error BurnFeeTooHighAtIndex(uint32 index, uint256 maxFee, uint256 actualFee);
    error InvalidIntentSourceSignerAtIndex(uint32 index, address sourceSigner, address actual);
    error InvalidIntentSourceDomainAtIndex(uint32 index, uint32 sourceDomain, uint32 expected);

    function initialize(uint32 domain_, address usdc_, uint256 delay, address fees) external {
        (domain, usdc, withdrawalDelay, feeRecipient) = (domain_, usdc_, delay, fees);
    }

    function deposit(address token, uint256 value) external {
        _deposit(token, msg.sender, value);
    }

    function depositFor(address token, address depositor, uint256 value) external {
        _deposit(token, depositor, value);
    }

    function addDelegate(address token, address delegate)
        external
        whenNotPaused
        notDenylisted(msg.sender)
        tokenSupported(token)
    {
        if (delegate == msg.sender) revert CannotDelegateToSelf();
        _delegations[token][msg.sender][delegate] = Delegation.AUTHORIZED;
        emit DelegateAdded(token, msg.sender, delegate);
    }

    /// What the delegate signed before still burns: an intent may be minted already.
    function removeDelegate(address token, address delegate)
        external
        whenNotPaused
        tokenSupported(token)
    {
        if (_delegations[token][msg.sender][delegate] != Delegation.AUTHORIZED) return;
        _delegations[token][msg.sender][delegate] = Delegation.REVOKED;
        emit DelegateRemoved(token, msg.sender, delegate);
    }

    function isAuthorizedForBalance(address token, address depositor, address account)
        external
        view
        returns (bool)
    {
        return account == depositor
            || _delegations[token][depositor][account] == Delegation.AUTHORIZED;
    }

    function totalBalance(address token, address depositor) external view returns (uint256) {
        return availableBalance[token][depositor] + withdrawingBalance[token][depositor];
    }

    function withdrawableBalance(address token, address depositor)
        external
        view
        returns (uint256)
    {
        uint256 from = withdrawalBlock[token][depositor];
        return from == 0 || from > block.number ? 0 : withdrawingBalance[token][depositor];
    }

    function initiateWithdrawal(address token, uint256 value)
        external
        whenNotPaused
        notDenylisted(msg.sender)
        tokenSupported(token)
    {
        if (value == 0) revert WithdrawalValueMustBePositive();
        uint256 available = availableBalance[token][msg.sender];
        if (value > available) revert WithdrawalValueExceedsAvailableBalance();
        availableBalance[token][msg.sender] = available - value;
        uint256 withdrawing = withdrawingBalance[token][msg.sender] += value;
        uint256 from = withdrawalBlock[token][msg.sender] = block.number + withdrawalDelay;
        emit WithdrawalInitiated(token, msg.sender, value, available - value, withdrawing, from);
    }

    function withdraw(address token)
        external
        whenNotPaused
        notDenylisted(msg.sender)
        tokenSupported(token)
    {
        uint256 value = withdrawingBalance[token][msg.sender];
        if (value == 0) revert NoWithdrawingBalance();
        if (withdrawalBlock[token][msg.sender] > block.number) revert WithdrawalNotYetAvailable();
        (withdrawingBalance[token][msg.sender], withdrawalBlock[token][msg.sender]) = (0, 0);
        IToken(token).transfer(msg.sender, value);
        emit WithdrawalCompleted(token, msg.sender, value);
    }

    /// Circle's burn: `data` is abi.encode(intents, signatures, fees). Circle's contract verifies
    /// Circle's signature of it, and so does not let others burn.
    function gatewayBurn(bytes calldata data, bytes calldata) external whenNotPaused {
        (bytes[] memory intents, bytes[] memory signatures, uint256[][] memory fees) =
            abi.decode(data, (bytes[], bytes[], uint256[][]));
        for (uint256 i = 0; i < intents.length; ++i) {
            this.burnOne(intents[i], signatures[i], fees[i][0]);
        }
    }

    /// The part of `gatewayBurn` that one intent is.
    function burnOne(bytes calldata intent, bytes calldata signature, uint256 fee) external {
        if (intent.length < 72 || bytes4(intent[0:4]) != INTENT_MAGIC) revert MalformedPayload();
        if (uint32(bytes4(intent[68:72])) != intent.length - 72) revert MalformedPayload();
        TransferSpec memory spec = _parse(intent[72:]);
        address signer = _recover(getTypedDataHash(intent), signature);
        _validate(spec, signer, uint256(bytes32(intent[4:36])));
        uint256 maxFee = uint256(bytes32(intent[36:68]));
        if (fee > maxFee) revert BurnFeeTooHighAtIndex(0, maxFee, fee);
        bytes32 specHash = keccak256(intent[72:]);
        _use(specHash);
        _burn(spec, specHash, signer, fee);
    }

    /// The digest of a packed burn intent, which its signer signs.
    function getTypedDataHash(bytes calldata intent) public pure returns (bytes32) {
        TransferSpec memory spec = _parse(intent[72:]);
        bytes memory first = abi.encode(
            SPEC_TYPE_HASH,
            spec.version,
            spec.sourceDomain,
            spec.destinationDomain,
            spec.sourceContract,
            spec.destinationContract,
            spec.sourceToken,
            spec.destinationToken
        );
        bytes memory second = abi.encode(
            spec.sourceDepositor,
            spec.destinationRecipient,
            spec.sourceSigner,
            spec.destinationCaller,
            spec.value,
            spec.salt,
            keccak256(spec.hookData)
        );
        bytes32 specHash = keccak256(bytes.concat(first, second));
        (uint256 height, uint256 maxFee) =
            (uint256(bytes32(intent[4:36])), uint256(bytes32(intent[36:68])));
        bytes32 intentHash = keccak256(abi.encode(INTENT_TYPE_HASH, height, maxFee, specHash));
        return keccak256(abi.encodePacked(hex"1901", domainSeparator(), intentHash));
    }

    /// Neither a chain nor a contract: one signature is one on every chain.
    function domainSeparator() public pure returns (bytes32) {
        bytes32 domainType = keccak256("EIP712Domain(string name,string version)");
        return keccak256(abi.encode(domainType, keccak256("GatewayWallet"), keccak256("1")));
    }

    function _deposit(address token, address depositor, uint256 value)
        private
        whenNotPaused
        notDenylisted(msg.sender)
        notDenylisted(depositor)
        tokenSupported(token)
    {
        if (value == 0) revert DepositValueMustBePositive();
        if (depositor == address(0)) revert InvalidDepositor();
        availableBalance[token][depositor] += value;
        IToken(token).transferFrom(msg.sender, address(this), value);
        emit Deposited(token, depositor, msg.sender, value);
    }

    function _validate(TransferSpec memory spec, address signer, uint256 maxBlockHeight)
        private
        view
    {
        if (maxBlockHeight < block.number) {
            revert IntentExpiredAtIndex(0, maxBlockHeight, block.number);
        }
        address named = _address(spec.sourceSigner);
        if (spec.sourceDomain != domain) {
            revert InvalidIntentSourceDomainAtIndex(0, spec.sourceDomain, domain);
        }
        address depositor = _address(spec.sourceDepositor);
        bool everAuthorized = signer == depositor
            || _delegations[_address(spec.sourceToken)][depositor][signer] != Delegation.NONE;
        if (signer == address(0) || signer != named || !everAuthorized) {
            revert InvalidIntentSourceSignerAtIndex(0, named, signer);
        }
    }

    function _burn(TransferSpec memory spec, bytes32 specHash, address signer, uint256 fee)
        private
    {
        (uint256 fromAvailable, uint256 fromWithdrawing) =
            _take(_address(spec.sourceToken), _address(spec.sourceDepositor), spec.value, fee);
        emit GatewayBurned(
            _address(spec.sourceToken),
            _address(spec.sourceDepositor),
            specHash,
            spec.destinationDomain,
            spec.destinationRecipient,
            signer,
            spec.value,
            fee,
            fromAvailable,
            fromWithdrawing
        );
    }

    function _take(address token, address depositor, uint256 value, uint256 fee)
        private
        returns (uint256 fromAvailable, uint256 fromWithdrawing)
    {
        uint256 available = availableBalance[token][depositor];
        fromAvailable = value + fee < available ? value + fee : available;
        fromWithdrawing = value + fee - fromAvailable;
        availableBalance[token][depositor] = available - fromAvailable;
        withdrawingBalance[token][depositor] -= fromWithdrawing;
        IToken(token).burn(value);
        if (fee > 0) IToken(token).transfer(feeRecipient, fee);
    }
}
