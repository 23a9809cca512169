// Compiles the contracts and writes their artifacts into the Python packages of EVM chains and Tron;
// for Tron, the files of contracts/tron/src replace those of the same name.
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
const evmSources = join(here, "src");
const FAMILIES = {
  evm: {
    folders: [evmSources],
    contracts: [
      "AcrossBridge",
      "BalanceLens",
      "CallBatch",
      "CctpBridge",
      "CctpSwapBridge",
      "DepositAddress",
      "Escrow",
      "Escrow2",
      "Filler",
      "Filler2",
      "IntentFactory",
      "PermitPayIn",
      "StandingFactory",
    ],
  },
  tron: {
    folders: [evmSources, join(here, "../tron/src")],
    contracts: ["DepositAddress", "Escrow", "Escrow2", "Filler", "Filler2", "IntentFactory"],
  },
};

// No metadata, so the bytecode and every address depend on the sources alone; no PUSH0, so it runs on
// every EVM chain.
const settings = {
  evmVersion: "paris",
  optimizer: { enabled: true, runs: 10000 },
  metadata: { bytecodeHash: "none", appendCBOR: false },
};

function readSources(folders) {
  const sources = {};
  for (const folder of folders) {
    for (const name of readdirSync(folder).sort()) {
      if (name.endsWith(".sol")) sources[name] = readFileSync(join(folder, name), "utf8");
    }
  }
  return sources;
}

function compile(sources) {
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

function buildArtifacts({ folders, contracts }) {
  const sources = readSources(folders);
  const compiled = compile(sources);
  const artifacts = {};
  for (const name of contracts) {
    const { abi, evm } = compiled[`${name}.sol`][name];
    // Offset and length of the immutables in the runtime code, which the constructor fills in: a
    // comparison with deployed code skips them.
    const immutables = Object.values(evm.deployedBytecode.immutableReferences ?? {})
      .flat()
      .map(({ start, length }) => [start, length])
      .sort((a, b) => a[0] - b[0]);
    artifacts[`${name}.json`] = {
      contract: name,
      abi,
      bytecode: `0x${evm.bytecode.object}`,
      runtime: `0x${evm.deployedBytecode.object}`,
      immutables,
    };
  }
  artifacts["build.json"] = {
    compiler: solc.version().replace(/\.Emscripten\.clang$/, ""),
    settings,
    sources: Object.fromEntries(
      Object.entries(sources).map(([name, text]) => [
        name,
        createHash("sha256").update(text).digest("hex"),
      ]),
    ),
  };
  return artifacts;
}

const check = process.argv.includes("--check");
const differing = [];
for (const [family, options] of Object.entries(FAMILIES)) {
  const folder = join(packages, family, "artifacts");
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(buildArtifacts(options))) {
    const path = join(folder, name);
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
console.log(differing.length ? `Written: ${differing.join(", ")}` : "Everything is up to date");
