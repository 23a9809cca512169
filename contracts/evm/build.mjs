// Compiles the contracts and writes their artifacts into the Python package:
//   node contracts/evm/build.mjs           writes
//   node contracts/evm/build.mjs --check   compares, and fails where they differ
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const solc = createRequire(import.meta.url)("solc");
const into = join(here, "../../src/crossway/adapters/chains/evm/artifacts");
const WANTED = ["BalanceLens", "DepositAddress", "Escrow", "Filler", "IntentFactory"];

// No metadata and no PUSH0: the bytecode, and so every address, depends on the sources alone, and
// runs on every EVM chain.
const settings = {
  evmVersion: "paris",
  optimizer: { enabled: true, runs: 10000 },
  metadata: { bytecodeHash: "none", appendCBOR: false },
};

const sources = Object.fromEntries(
  readdirSync(join(here, "src"))
    .filter((name) => name.endsWith(".sol"))
    .sort()
    .map((name) => [name, readFileSync(join(here, "src", name), "utf8")]),
);
const hashes = Object.fromEntries(
  Object.entries(sources).map(([name, text]) => [
    name,
    createHash("sha256").update(text).digest("hex"),
  ]),
);
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
for (const error of output.errors ?? []) {
  console.error(error.formattedMessage);
}
if ((output.errors ?? []).some((error) => error.severity === "error" || error.severity === "warning")) {
  process.exit(1);
}

const written = {};
for (const name of WANTED) {
  const { abi, evm } = output.contracts[`${name}.sol`][name];
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
  sources: hashes,
};

const check = process.argv.includes("--check");
mkdirSync(into, { recursive: true });
const differing = [];
for (const [name, content] of Object.entries(written)) {
  const path = join(into, name);
  const text = JSON.stringify(content, null, 1) + "\n";
  if (existsSync(path) && readFileSync(path, "utf8") === text) continue;
  differing.push(name);
  if (!check) writeFileSync(path, text);
}
if (check && differing.length) {
  console.error(`These differ from what the sources compile to: ${differing.join(", ")}`);
  process.exit(1);
}
console.log(differing.length ? `Written: ${differing.join(", ")}` : "Everything is as built");
