// JSON that keeps numbers as written: JavaScript would round integers over
// 2^53. They are texts with a mark before them, which no other text has.
import {randomText} from './fields.js';

const mark = `${randomText()}:`;
const parts = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
const marked = new RegExp(`"${mark}([^"]*)"`, 'g');

/// The value of a JSON text; throws a SyntaxError.
export function parseExact(text) {
  JSON.parse(text);
  return JSON.parse(text.replace(parts, (part) => (part.startsWith('"') ? part : `"${mark}${part}"`)));
}

/// A value of `parseExact` as JSON, indented if it is to be read.
export const exactText = (value, indent) => JSON.stringify(value, null, indent).replace(marked, '$1');
