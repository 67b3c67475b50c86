"use strict";

/** What was raised, as a short text that JSON can hold. */
function describe(raised) {
  let text = "a value that has no text";
  try {
    text = String(raised).slice(0, 2000);
  } catch {} // toString of a stranger
  return Buffer.from(raised instanceof Error ? text : `thrown: ${text}`).toString();
}

module.exports = { describe };
