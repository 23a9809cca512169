// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

// Tokens for tests: put at an address as code alone, so that nothing is set by a constructor.

contract Plain {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => bool) public refused;

    event Transfer(address indexed from, address indexed to, uint256 units);

    function mint(address to, uint256 units) external {
        balanceOf[to] += units;
        emit Transfer(address(0), to, units);
    }

    function refuse(address who, bool on) external {
        refused[who] = on;
    }

    function approve(address spender, uint256 units) external returns (bool) {
        allowance[msg.sender][spender] = units;
        return true;
    }

    function transfer(address to, uint256 units) external virtual returns (bool) {
        _move(msg.sender, to, units);
        return true;
    }

    function transferFrom(address from, address to, uint256 units) external virtual returns (bool) {
        allowance[from][msg.sender] -= units;
        _move(from, to, units);
        return true;
    }

    function _move(address from, address to, uint256 units) internal virtual {
        require(!refused[to], "refused");
        balanceOf[from] -= units;
        balanceOf[to] += units;
        emit Transfer(from, to, units);
    }
}

// Answers nothing, as USDT does on Ethereum.
contract Silent is Plain {
    function transfer(address to, uint256 units) external override returns (bool) {
        _move(msg.sender, to, units);
        assembly {
            return(0, 0)
        }
    }

    function transferFrom(address from, address to, uint256 units) external override returns (bool) {
        allowance[from][msg.sender] -= units;
        _move(from, to, units);
        assembly {
            return(0, 0)
        }
    }
}

// Keeps one part in a hundred of every transfer.
contract Taking is Plain {
    function _move(address from, address to, uint256 units) internal override {
        super._move(from, to, units - units / 100);
        balanceOf[from] -= units / 100;
    }
}

// Answers false to a transfer that it makes, as USDT does on Tron.
contract Denying is Plain {
    function transfer(address to, uint256 units) external override returns (bool) {
        _move(msg.sender, to, units);
        return false;
    }
}

// Answers false and moves nothing.
contract Lying is Plain {
    function transfer(address, uint256) external pure override returns (bool) {
        return false;
    }
}

// A native coin wrapped: it is burnt for the coin.
contract Wrapped is Plain {
    function withdraw(uint256 units) external {
        balanceOf[msg.sender] -= units;
        (bool paid,) = msg.sender.call{value: units}("");
        require(paid, "not paid");
    }
}
