// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

// Stand-ins of Circle's CCTP V2 for tests, written from Circle's documentation: the message
// formats, the events, the order of the checks and their words are those of the real contracts.
// This file compiles alone, and so does UsdcStandIn.sol. Nothing in here is access controlled: a
// test is the owner, the pauser and every other role.
//
// No constructor, no immutables: their runtime code works at any address (`vm.etch` of forge,
// `anvil_setCode` of anvil) once it was initialized. `initialize` may be called again.
//   1. `UsdcStandIn` (UsdcStandIn.sol) at the chain's USDC address; nothing to initialize.
//   2. `MessageTransmitterStandIn` at Circle's MessageTransmitterV2 address:
//      initialize(uint32 domain, address[] attesters, uint256 threshold)
//   3. `TokenMinterStandIn` (UsdcStandIn.sol) at any address:
//      initialize(address messenger, address usdc, uint256 burnLimit); Circle's is 10,000,000e6
//   4. `TokenMessengerStandIn` at Circle's TokenMessengerV2 address, the same on every chain:
//      initialize(address transmitter, address minter, address feeRecipient)
//   5. For every other chain: `addRemoteDomain(uint32 domain)` of the messenger, and
//      `linkTokenPair(uint32 domain, address remoteUsdc)` of the minter.
// Switches: pause(), unpause() of the transmitter, of the minter and of USDC; denylist(address),
// unDenylist(address), setMinFee(uint256 thousandthsOfABasisPoint) of the messenger;
// setAttester(address,bool), setThreshold(uint256) of the transmitter; setBurnLimit(uint256) of the
// minter; blacklist(address), unBlacklist(address), refuse(address,bool) of USDC.
//
// The attestation service of a test takes the bytes of `MessageSent`, writes nonce (32 bytes at
// 12), finalityThresholdExecuted (4 at 144), feeExecuted (32 at 312) and expirationBlock (32 at
// 344), which are zero there, and signs keccak256(message), without a prefix, by each of
// `threshold` attesters: 65 bytes each (r, s, v = 27 or 28), ascending by the attesters' addresses.

interface ITokenMinter {
    function burn(address token, uint256 amount) external;
    function mint(
        uint32 sourceDomain,
        bytes32 burnToken,
        address recipient,
        uint256 amount,
        address feeRecipient,
        uint256 fee
    ) external returns (address token);
}

interface IUsdc {
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

interface IMessageHandler {
    function handleReceiveFinalizedMessage(uint32, bytes32, uint32, bytes calldata)
        external
        returns (bool);
    function handleReceiveUnfinalizedMessage(uint32, bytes32, uint32, bytes calldata)
        external
        returns (bool);
}

/// MessageTransmitterV2: sends any message of anyone, and hands attested ones to their recipient.
contract MessageTransmitterStandIn {
    uint32 public constant version = 1;
    uint256 public constant maxMessageBodySize = 8192;
    uint32 private constant FINALIZED = 2000;
    uint256 private constant BODY_AT = 148;

    bool public paused;
    uint32 public localDomain;
    uint256 public signatureThreshold;
    mapping(address => bool) public isEnabledAttester;
    mapping(bytes32 => uint256) public usedNonces;

    event MessageSent(bytes message);
    event MessageReceived(
        address indexed caller,
        uint32 sourceDomain,
        bytes32 indexed nonce,
        bytes32 sender,
        uint32 indexed finalityThresholdExecuted,
        bytes messageBody
    );

    modifier whenNotPaused() {
        require(!paused, "Pausable: paused");
        _;
    }

    function initialize(uint32 domain, address[] calldata attesters, uint256 threshold) external {
        (localDomain, signatureThreshold) = (domain, threshold);
        for (uint256 i = 0; i < attesters.length; ++i) isEnabledAttester[attesters[i]] = true;
    }

    function pause() external {
        paused = true;
    }

    function unpause() external {
        paused = false;
    }

    function setAttester(address attester, bool enabled) external {
        isEnabledAttester[attester] = enabled;
    }

    function setThreshold(uint256 threshold) external {
        signatureThreshold = threshold;
    }

    function sendMessage(
        uint32 destinationDomain,
        bytes32 recipient,
        bytes32 destinationCaller,
        uint32 minFinalityThreshold,
        bytes calldata messageBody
    ) external whenNotPaused {
        require(destinationDomain != localDomain, "Domain is local domain");
        require(messageBody.length <= maxMessageBodySize, "Message body exceeds max size");
        require(recipient != bytes32(0), "Recipient must be nonzero");
        bytes32 sender = bytes32(uint256(uint160(msg.sender)));
        // Nonce and finality executed are zero here: the attestation service fills them in.
        bytes memory head =
            abi.encodePacked(version, localDomain, destinationDomain, bytes32(0), sender);
        bytes memory tail =
            abi.encodePacked(recipient, destinationCaller, minFinalityThreshold, uint32(0));
        emit MessageSent(abi.encodePacked(head, tail, messageBody));
    }

    function receiveMessage(bytes calldata message, bytes calldata attestation)
        external
        whenNotPaused
        returns (bool)
    {
        _verifyAttestation(message, attestation);
        require(message.length >= BODY_AT, "Invalid message: too short");
        require(uint32(bytes4(message[8:12])) == localDomain, "Invalid destination domain");
        bytes32 caller = bytes32(message[108:140]);
        require(
            caller == bytes32(0) || caller == bytes32(uint256(uint160(msg.sender))),
            "Invalid caller for message"
        );
        require(uint32(bytes4(message[0:4])) == version, "Invalid message version");
        bytes32 nonce = bytes32(message[12:44]);
        require(usedNonces[nonce] == 0, "Nonce already used");
        usedNonces[nonce] = 1;
        _handle(message);
        emit MessageReceived(
            msg.sender,
            uint32(bytes4(message[4:8])),
            nonce,
            bytes32(message[44:76]),
            uint32(bytes4(message[144:148])),
            message[BODY_AT:]
        );
        return true;
    }

    function _handle(bytes calldata message) private {
        uint32 sourceDomain = uint32(bytes4(message[4:8]));
        bytes32 sender = bytes32(message[44:76]);
        address recipient = address(uint160(uint256(bytes32(message[76:108]))));
        IMessageHandler handler = IMessageHandler(recipient);
        uint32 finality = uint32(bytes4(message[144:148]));
        bool handled = finality < FINALIZED
            ? handler.handleReceiveUnfinalizedMessage(
                sourceDomain, sender, finality, message[BODY_AT:]
            )
            : handler.handleReceiveFinalizedMessage(
                sourceDomain, sender, finality, message[BODY_AT:]
            );
        require(handled, "handleReceiveMessage() failed");
    }

    function _verifyAttestation(bytes calldata message, bytes calldata attestation) private view {
        require(
            attestation.length == signatureThreshold * 65 && signatureThreshold != 0,
            "Invalid attestation length"
        );
        bytes32 digest = keccak256(message);
        address last = address(0);
        for (uint256 i = 0; i < signatureThreshold; ++i) {
            address attester = _recover(digest, attestation[i * 65:i * 65 + 65]);
            require(attester > last, "Invalid signature order or dupe");
            require(isEnabledAttester[attester], "Invalid signature: not attester");
            last = attester;
        }
    }

    function _recover(bytes32 digest, bytes calldata signature) private pure returns (address) {
        (bytes32 r, bytes32 s) = (bytes32(signature[0:32]), bytes32(signature[32:64]));
        uint8 v = uint8(signature[64]);
        require(
            uint256(s) <= 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0,
            "ECDSA: invalid signature 's' value"
        );
        require(v == 27 || v == 28, "ECDSA: invalid signature 'v' value");
        address signer = ecrecover(digest, v, r, s);
        require(signer != address(0), "ECDSA: invalid signature");
        return signer;
    }
}

/// TokenMessengerV2: burns USDC towards another chain, and mints what was burnt for this one.
contract TokenMessengerStandIn is IMessageHandler {
    struct Burn {
        uint256 amount;
        uint32 domain;
        bytes32 mintRecipient;
        address token;
        bytes32 destinationCaller;
        uint256 maxFee;
        uint32 minFinality;
    }

    uint32 public constant messageBodyVersion = 1;
    uint32 private constant MIN_FINALITY_EXECUTED = 500;
    uint256 public constant MIN_FEE_MULTIPLIER = 10_000_000;

    address public localMessageTransmitter;
    address public localMinter;
    address public feeRecipient;
    uint256 public minFee;
    mapping(uint32 => bytes32) public remoteTokenMessengers;
    mapping(address => bool) public isDenylisted;

    event DepositForBurn(
        address indexed burnToken,
        uint256 amount,
        address indexed depositor,
        bytes32 mintRecipient,
        uint32 destinationDomain,
        bytes32 destinationTokenMessenger,
        bytes32 destinationCaller,
        uint256 maxFee,
        uint32 indexed minFinalityThreshold,
        bytes hookData
    );
    event MintAndWithdraw(
        address indexed mintRecipient,
        uint256 amount,
        address indexed mintToken,
        uint256 feeCollected
    );

    modifier notDenylistedCallers() {
        require(!isDenylisted[msg.sender], "Denylistable: account is on denylist");
        require(
            msg.sender == tx.origin || !isDenylisted[tx.origin],
            "Denylistable: account is on denylist"
        );
        _;
    }

    modifier onlyFromRemote(uint32 remoteDomain, bytes32 sender) {
        require(msg.sender == localMessageTransmitter, "Invalid message transmitter");
        bytes32 remote = remoteTokenMessengers[remoteDomain];
        require(remote != 0 && remote == sender, "Remote TokenMessenger unsupported");
        _;
    }

    function initialize(address transmitter, address minter, address feeRecipient_) external {
        localMessageTransmitter = transmitter;
        (localMinter, feeRecipient) = (minter, feeRecipient_);
    }

    /// The messenger of another chain lies at the address of this one.
    function addRemoteDomain(uint32 domain) external {
        remoteTokenMessengers[domain] = _asWord(address(this));
    }

    function denylist(address account) external {
        isDenylisted[account] = true;
    }

    function unDenylist(address account) external {
        isDenylisted[account] = false;
    }

    function setMinFee(uint256 minFee_) external {
        minFee = minFee_;
    }

    function getMinFeeAmount(uint256 amount) public view returns (uint256) {
        if (minFee == 0) return 0;
        require(amount > 1, "Amount too low");
        uint256 fee = amount * minFee / MIN_FEE_MULTIPLIER;
        return fee == 0 ? 1 : fee;
    }

    // Arguments: amount, destinationDomain, mintRecipient, burnToken, destinationCaller, maxFee,
    // minFinalityThreshold, which are the words of a Burn, and hookData.

    function depositForBurn(uint256, uint32, bytes32, address, bytes32, uint256, uint32)
        external
        notDenylistedCallers
    {
        _depositForBurn(abi.decode(msg.data[4:228], (Burn)), "");
    }

    function depositForBurnWithHook(
        uint256,
        uint32,
        bytes32,
        address,
        bytes32,
        uint256,
        uint32,
        bytes calldata hookData
    ) external notDenylistedCallers {
        require(hookData.length > 0, "Hook data is empty");
        _depositForBurn(abi.decode(msg.data[4:228], (Burn)), hookData);
    }

    function handleReceiveFinalizedMessage(
        uint32 remoteDomain,
        bytes32 sender,
        uint32,
        bytes calldata body
    ) external onlyFromRemote(remoteDomain, sender) returns (bool) {
        _mint(remoteDomain, body, 0);
        return true;
    }

    function handleReceiveUnfinalizedMessage(
        uint32 remoteDomain,
        bytes32 sender,
        uint32 finalityThresholdExecuted,
        bytes calldata body
    ) external onlyFromRemote(remoteDomain, sender) returns (bool) {
        require(
            finalityThresholdExecuted >= MIN_FINALITY_EXECUTED, "Unsupported finality threshold"
        );
        require(body.length >= 228, "Invalid burn message: too short");
        uint256 expirationBlock = uint256(bytes32(body[196:228]));
        require(
            expirationBlock == 0 || expirationBlock > block.number,
            "Message expired and must be re-signed"
        );
        uint256 fee = uint256(bytes32(body[164:196]));
        require(fee == 0 || fee < uint256(bytes32(body[68:100])), "Fee equals or exceeds amount");
        require(fee <= uint256(bytes32(body[132:164])), "Fee exceeds max fee");
        _mint(remoteDomain, body, fee);
        return true;
    }

    function _depositForBurn(Burn memory burn_, bytes memory hookData) private {
        require(burn_.amount > 0, "Amount must be nonzero");
        require(burn_.mintRecipient != bytes32(0), "Mint recipient must be nonzero");
        require(burn_.maxFee < burn_.amount, "Max fee must be less than amount");
        require(burn_.maxFee >= getMinFeeAmount(burn_.amount), "Insufficient max fee");
        bytes32 remote = remoteTokenMessengers[burn_.domain];
        require(remote != bytes32(0), "No TokenMessenger for domain");
        require(
            IUsdc(burn_.token).transferFrom(msg.sender, localMinter, burn_.amount),
            "Transfer operation failed"
        );
        ITokenMinter(localMinter).burn(burn_.token, burn_.amount);
        // Fee executed and expiration block are zero here: the attestation service fills them in.
        bytes32 token = _asWord(burn_.token);
        bytes32 depositor = _asWord(msg.sender);
        bytes memory body = abi.encodePacked(
            messageBodyVersion, token, burn_.mintRecipient, burn_.amount, depositor, burn_.maxFee
        );
        MessageTransmitterStandIn(localMessageTransmitter).sendMessage(
            burn_.domain,
            remote,
            burn_.destinationCaller,
            burn_.minFinality,
            abi.encodePacked(body, new bytes(64), hookData)
        );
        emit DepositForBurn(
            burn_.token,
            burn_.amount,
            msg.sender,
            burn_.mintRecipient,
            burn_.domain,
            remote,
            burn_.destinationCaller,
            burn_.maxFee,
            burn_.minFinality,
            hookData
        );
    }

    function _mint(uint32 remoteDomain, bytes calldata body, uint256 fee) private {
        require(body.length >= 228, "Invalid burn message: too short");
        require(uint32(bytes4(body[0:4])) == messageBodyVersion, "Invalid message body version");
        address recipient = address(uint160(uint256(bytes32(body[36:68]))));
        uint256 amount = uint256(bytes32(body[68:100])) - fee;
        address token = ITokenMinter(localMinter).mint(
            remoteDomain, bytes32(body[4:36]), recipient, amount, feeRecipient, fee
        );
        emit MintAndWithdraw(recipient, amount, token, fee);
    }

    function _asWord(address account) private pure returns (bytes32) {
        return bytes32(uint256(uint160(account)));
    }
}
