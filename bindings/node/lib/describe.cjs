"use strict";

const CHARACTERS_MAX = 2000;

/** What was raised and its cause, as a short text that JSON can hold. */
function describe(raised) {
  let text = "a value that has no text";
  try {
    text = String(raised);
    const { message, code } = raised?.cause ?? {};
    const why = message || code; // of several refused connections, only the code
    if (why) text += `: ${why}`;
  } catch {} // members of a stranger
  text = text.slice(0, CHARACTERS_MAX);
  return Buffer.from(raised instanceof Error ? text : `thrown: ${text}`).toString();
}

module.exports = { describe };
