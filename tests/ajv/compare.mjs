// Reads what ajv_documents writes and holds it against AJV: the same texts are
// JSON, the same documents valid, and the same places of them wrong. Prints
// what differs and fails.
import readline from 'node:readline';
import {makeAjv} from './setup.mjs';

const shown = 10;

/// Why parse_json refuses what JSON.parse takes; each with a look at the text.
const stricter = {
  // Readers disagree on which of two members with one name counts.
  duplicate_key: () => true,
  // JSON.parse rounds integers beyond 64 bits and makes 1e999 infinite.
  number_range: (text) => /\d{19}|[eE]/.test(text),
  // Half of a surrogate pair is no character.
  utf8: (text) => /\\u[dD][89a-fA-F]/.test(text),
  syntax: (text) => /\\u[dD][89a-fA-F]/.test(text),
};

function readText(line) {
  if (line.text !== undefined) {
    return line.text;
  }
  try {
    return new TextDecoder('utf-8', {fatal: true, ignoreBOM: true})
        .decode(Buffer.from(line.hex, 'hex'));
  } catch {
    return undefined;
  }
}

/// The parsed text, in an array; undefined if it is no JSON.
function parse(text) {
  try {
    // RFC 8259 lets a reader pass over a byte order mark; so do we.
    return [JSON.parse(text.replace(/^\ufeff/, ''))];
  } catch {
    return undefined;
  }
}

const escaped = (name) => name.replaceAll('~', '~0').replaceAll('/', '~1');

/// Where we say it: at the members and items that are too many and at the
/// member with a wrong name, and not at what they are in.
function placesOf({keyword, instancePath, params, propertyName, data}) {
  if (keyword === 'additionalProperties') {
    return [`${instancePath}/${escaped(params.additionalProperty)}`];
  }
  if (keyword === 'additionalItems') {
    return data.slice(params.limit).map((_, i) => `${instancePath}/${params.limit + i}`);
  }
  return [propertyName === undefined ? instancePath
                                     : `${instancePath}/${escaped(propertyName)}`];
}

/// [place, keyword] of what AJV finds, without those that only say that
/// something failed that stands in the list as well.
function findings(errors) {
  return errors
      .filter(({keyword}) => keyword !== 'if' && keyword !== 'propertyNames')
      .flatMap((error) => placesOf(error).map((place) => [place, error.keyword]));
}

/// The places, without those within a value that fits no branch: which
/// branches are explained is a matter of taste.
function places(found) {
  const branching = found.filter(([, keyword]) => /^(anyOf|oneOf|contains)$/.test(keyword))
                        .map(([place]) => place);
  const kept = found.map(([place]) => place)
                   .filter((place) => !branching.some((at) => place.startsWith(`${at}/`)));
  return [...new Set(kept)].sort();
}

const validators = new Map();
const embedded = [];

/// Embedded schemas refer to each other, the suite's are alone.
function addSchema(name, schema) {
  if (typeof schema === 'object' && name.endsWith('.schema.json')) {
    embedded.push(schema);
    validators.set(name, {id: schema.$id});
    return;
  }
  validators.set(name, makeAjv([], {allErrors: true}).compile(schema));
}

let all;
function validatorOf(name) {
  const known = validators.get(name);
  if (typeof known === 'function') {
    return known;
  }
  all ??= makeAjv(embedded, {allErrors: true});
  const made = all.getSchema(known.id);
  validators.set(name, made);
  return made;
}

const counts = {};
const count = (what) => counts[what] = (counts[what] ?? 0) + 1;
let documents = 0;
let differences = 0;

function differ(line, what) {
  if (++differences <= shown) {
    console.error(`${line.schema}, ${line.kind}: ${what}\n  ${line.text ?? line.hex}`);
  }
}

/// JavaScript has no integers beyond 2^53, and AJV tests a quotient for
/// multipleOf, which from 2^52 on is always whole (9007199254740991 / 1.5): by
/// parseInt, which reads 8.9e+307 as 8, and 5e-324 / 2 is 0.
function isRounded({text}) {
  return (text.match(/-?\d[\d.eE+-]*/g) ?? [])
      .map((number) => Math.abs(number))
      .some((size) => size / 0.0001 >= 2 ** 52 || (size > 0 && size < 1e-300)
                      || missesWhole(size / 0.0001) || missesWhole(size / 0.01));
}

/// A quotient that is whole in decimal and not quite in binary: 0.051 / 0.0001.
function missesWhole(quotient) {
  const off = Math.abs(quotient - Math.round(quotient));
  return off > 0 && off < 1e-6;
}

/// Where all items are to be of one simple type, AJV compares only those that
/// are; we compare them all. Neither is told of items that are not.
function withoutUntyped(found, theirs) {
  const untyped = new Set(theirs.filter(([, keyword]) => keyword === 'type')
                              .map(([place]) => place.replace(/\/\d+$/, '')));
  return found.filter(([place, keyword]) => keyword !== 'uniqueItems' || !untyped.has(place));
}

function compareParsed(line, value) {
  const validate = validatorOf(line.schema);
  const valid = validate(value);
  if (valid !== line.valid) {
    const found = valid ? line.found : findings(validate.errors);
    if (found.every(([, keyword]) => keyword === 'multipleOf') && isRounded(line)) {
      count('multipleOf of a number that JavaScript rounds');
    } else {
      differ(line, `AJV says ${valid}, we say ${line.valid}: ${JSON.stringify(found)}`);
    }
    return;
  }
  count(valid ? 'valid' : 'invalid');
  if (valid) {
    return;
  }
  const found = findings(validate.errors);
  const theirs = JSON.stringify(places(withoutUntyped(found, found)));
  const ours = JSON.stringify(places(withoutUntyped(line.found, found)));
  if (ours !== theirs) {
    differ(line, `other places: AJV ${theirs}, we ${ours}`);
  }
}

function compare(line) {
  ++documents;
  const text = readText(line);
  const parsed = text === undefined ? undefined : parse(text);
  if (line.refused === undefined && parsed === undefined) {
    differ(line, 'JSON.parse refuses it');
  } else if (line.refused === undefined) {
    compareParsed(line, parsed[0]);
  } else if (parsed === undefined) {
    count('no JSON');
  } else if (stricter[line.refused]?.(text)) {
    count(`refused by us alone: ${line.refused}`);
  } else {
    differ(line, `we refuse it: ${line.refused}`);
  }
}

for await (const text of readline.createInterface({input: process.stdin})) {
  const line = JSON.parse(text);
  if ('is' in line) {
    addSchema(line.schema, line.is);
  } else {
    compare(line);
  }
}
console.log(`${documents} documents, ${validators.size} schemas, ${differences} differences`);
for (const [what, times] of Object.entries(counts).sort()) {
  console.log(`  ${what}: ${times}`);
}
if (documents === 0 || differences !== 0) {
  process.exitCode = 1;
}
