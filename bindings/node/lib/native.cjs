"use strict";
// The addon, and how its failures look.
const os = require("node:os");
const path = require("node:path");

const ABI_VERSION = 0;

/** A failure of the library. `code` is like "not_allowed", `rule` names what was
 * broken, like "participant_unbound", or is undefined. */
class ConveneError extends Error {
  constructor(code, message, details = {}) {
    super(details.pointer ? `${details.pointer}: ${message}` : message);
    this.name = "ConveneError";
    this.code = code;
    this.details = details;
  }

  get rule() {
    return this.details.rule;
  }
}

function load() {
  const platform = `${process.platform}-${process.arch}`;
  const file = path.join(__dirname, "..", "prebuilds", platform, "convene.node");
  const loaded = { exports: {} };
  try {
    // Node has simdjson, OpenSSL and more in its own file, in other versions, and
    // offers them to all libraries. DEEPBIND has ours look among themselves first.
    const { RTLD_NOW, RTLD_DEEPBIND } = os.constants.dlopen;
    process.dlopen(loaded, file, RTLD_NOW | RTLD_DEEPBIND);
  } catch (cause) {
    throw new Error(`convene has no build that loads here (${platform}, Node ${process.version}): ` +
                    `${cause.message}. scripts/node makes one from source`, { cause });
  }
  const native = loaded.exports;
  if (native.abiVersion !== ABI_VERSION) {
    throw new Error(`${file} has ABI version ${native.abiVersion}, not ${ABI_VERSION}`);
  }
  native.setUp((json) => {
    const { code, message, details } = JSON.parse(json);
    return new ConveneError(code, message, details);
  });
  // Ends the threads of runtimes that were not closed, also at process.exit.
  process.once("exit", native.closeAll);
  return native;
}

const native = load();

const closed = () =>
  new ConveneError("not_allowed", "the runtime is closed", { rule: "runtime_closing" });

module.exports = { ConveneError, closed, native, version: native.version };
