// AJV as our validator is meant to be: draft-07, all formats asserted.
import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import {asWeReadThem} from './formats.mjs';

/// Draft-07 lets nothing beside a $ref count; AJV counts it unless told.
const settings = {
  strict: false,
  ignoreKeywordsWithRef: true,
  logger: false,
};

/// An AJV that knows `schemas`. With `ourFormats`, formats that we read in
/// another way (formats.mjs) are checked in ours.
export function makeAjv(schemas, {allErrors = false, ourFormats = true} = {}) {
  const ajv = new Ajv.default({...settings, allErrors, verbose: allErrors});
  addFormats.default(ajv);
  if (ourFormats) {
    for (const [name, check] of asWeReadThem(ajv.formats)) {
      ajv.addFormat(name, check);
    }
  }
  for (const schema of schemas) {
    ajv.addSchema(schema);
  }
  return ajv;
}
