// Compiles the contracts and writes their artifacts into the Python packages of the families that
// run them: EVM chains, and Tron, where files of contracts/tron/src take the place of ours.
//   node contracts/evm/build.mjs           writes
//   node contracts/evm/build.mjs --check   compares, and fails where they differ
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const solc = createRequire(import.meta.url)("solc");
const packages = join(here, "../../src/crossway/adapters/chains");
const ours = join(here, "src");
const FAMILIES = {
  evm: {
    folders: [ours],
    wanted: ["BalanceLens", "DepositAddress", "Escrow", "Filler", "IntentFactory"],
  },
  tron: {
    folders: [ours, join(here, "../tron/src")],
    wanted: ["DepositAddress", "Escrow", "Filler", "IntentFactory"],
  },
};

// No metadata and no PUSH0: the bytecode, and so every address, depends on the sources alone, and
// runs on every EVM chain.
const settings = {
  evmVersion: "paris",
  optimizer: { enabled: true, runs: 10000 },
  metadata: { bytecodeHash: "none", appendCBOR: false },
};

function sourcesOf(folders) {
  const found = {};
  for (const folder of folders) {
    for (const name of readdirSync(folder).sort()) {
      if (name.endsWith(".sol")) found[name] = readFileSync(join(folder, name), "utf8");
    }
  }
  return found;
}

function compiled(sources) {
  const input = {
    language: "Solidity",
    sources: Object.fromEntries(Object.entries(sources).map(([n, content]) => [n, { content }])),
    settings: {
      ...settings,
      outputSelection: {
        "*": {
          "*": ["abi", "evm.bytecode.object", "evm.deployedBytecode", "evm.methodIdentifiers"],
        },
      },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  const errors = output.errors ?? [];
  for (const error of errors) {
    console.error(error.formattedMessage);
  }
  if (errors.some(({ severity }) => severity === "error" || severity === "warning")) {
    process.exit(1);
  }
  return output.contracts;
}

function artifacts({ folders, wanted }) {
  const sources = sourcesOf(folders);
  const contracts = compiled(sources);
  const written = {};
  for (const name of wanted) {
    const { abi, evm } = contracts[`${name}.sol`][name];
    // Where a constructor writes what only it knows: [offset, length] in the runtime code, which a
    // comparison with the code on a chain leaves out.
    const immutables = Object.values(evm.deployedBytecode.immutableReferences ?? {})
      .flat()
      .map(({ start, length }) => [start, length])
      .sort((a, b) => a[0] - b[0]);
    written[`${name}.json`] = {
      contract: name,
      abi,
      bytecode: `0x${evm.bytecode.object}`,
      runtime: `0x${evm.deployedBytecode.object}`,
      immutables,
    };
  }
  written["build.json"] = {
    compiler: solc.version().replace(/\.Emscripten\.clang$/, ""),
    settings,
    sources: Object.fromEntries(
      Object.entries(sources).map(([name, text]) => [
        name,
        createHash("sha256").update(text).digest("hex"),
      ]),
    ),
  };
  return written;
}

const check = process.argv.includes("--check");
const differing = [];
for (const [family, parts] of Object.entries(FAMILIES)) {
  const into = join(packages, family, "artifacts");
  mkdirSync(into, { recursive: true });
  for (const [name, content] of Object.entries(artifacts(parts))) {
    const path = join(into, name);
    const text = JSON.stringify(content, null, 1) + "\n";
    if (existsSync(path) && readFileSync(path, "utf8") === text) continue;
    differing.push(`${family}/${name}`);
    if (!check) writeFileSync(path, text);
  }
}
if (check && differing.length) {
  console.error(`These differ from what the sources compile to: ${differing.join(", ")}`);
  process.exit(1);
}
console.log(differing.length ? `Written: ${differing.join(", ")}` : "Everything is as built");
