// The same as ours.cpp with AJV: pairs of a schema's file below schemas/ and a
// document, and a line with nanoseconds to validate, and to parse and validate.
// The first errors ends it, as it does with us; formats are AJV's own.
import fs from 'node:fs';
import {makeAjv} from '../../tests/ajv/setup.mjs';

const root = new URL('../../schemas/', import.meta.url);
const read = (path) => fs.readFileSync(path, 'utf8');

/// CPU time of the process: what is collected and compiled beside is part of it.
function cpuNs() {
  const {user, system} = process.cpuUsage();
  return (user + system) * 1000;
}

function timeOf(call) {
  for (let times = 1;; times *= 2) {
    const before = cpuNs();
    for (let i = 0; i < times; ++i) {
      if (!call()) {
        throw new Error('the document is not valid');
      }
    }
    const spent = cpuNs() - before;
    if (spent > 1e8) {
      return spent / times;
    }
  }
}

const schemas = fs.readdirSync(new URL('v2', root), {recursive: true})
                    .filter((path) => path.endsWith('.json'))
                    .map((path) => JSON.parse(read(new URL(`v2/${path}`, root))));
const ajv = makeAjv(schemas, {ourFormats: false});

const [, , ...pairs] = process.argv;
for (let i = 0; i + 1 < pairs.length; i += 2) {
  const {$id} = JSON.parse(read(new URL(pairs[i], root)));
  const validate = ajv.getSchema($id);
  const text = read(pairs[i + 1]);
  const document = JSON.parse(text);
  const parsed = () => validate(document);
  const both = () => validate(JSON.parse(text));
  // Twice each: the first time is for the compiler.
  timeOf(parsed);
  timeOf(both);
  console.log(pairs[i + 1], timeOf(parsed), timeOf(both));
}
