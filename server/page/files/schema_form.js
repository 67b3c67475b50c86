// Fields for a value that a JSON schema describes: one for each member, where
// that can be; else one for the JSON itself. The server checks what was filled in.
import {element, plain} from './dom.js';
import {field} from './fields.js';

const membersMax = 50;
const choicesMax = 200;
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const asText = (value) => typeof value === 'string' ? value : JSON.stringify(value);

/// How a value of this schema is filled in; undefined: as JSON.
function kindOf(schema) {
  if (!isObject(schema)) {
    return undefined;
  }
  if (Array.isArray(schema.enum) && schema.enum.length <= choicesMax) {
    return 'enum';
  }
  return ['string', 'number', 'integer', 'boolean'].includes(schema.type) ? schema.type : undefined;
}

function parsed(text, label) {
  try {
    return JSON.parse(text);
  } catch {
    throw new SyntaxError(`${label} is to be JSON`);
  }
}

/// {node, value()}; `value` is undefined if nothing was filled in.
const makers = {
  enum(id, label, {enum: values, description}) {
    const control = element('select', {id}, element('option', {value: ''}, 'choose …'),
        values.map((each, index) => element('option', {value: index}, plain(asText(each)))));
    return {node: field(label, control, description),
            value: () => control.value === '' ? undefined : values[control.value]};
  },
  boolean(id, label, {description}) {
    const control = element('select', {id}, element('option', {value: ''}, 'choose …'),
        element('option', {value: 'true'}, 'yes'), element('option', {value: 'false'}, 'no'));
    return {node: field(label, control, description),
            value: () => control.value === '' ? undefined : control.value === 'true'};
  },
  string(id, label, {description}) {
    const control = element('textarea', {id, rows: 3, dir: 'auto'});
    return {node: field(label, control, description),
            value: () => control.value === '' ? undefined : control.value};
  },
  number(id, label, {description}) {
    const control = element('input', {id, inputMode: 'decimal', autocomplete: 'off'});
    return {node: field(label, control, description), value() {
      const text = control.value.trim();
      if (text !== '' && !Number.isFinite(Number(text))) {
        throw new SyntaxError(`${label} is to be a number`);
      }
      return text === '' ? undefined : Number(text);
    }};
  },
  json(id, label, {description}) {
    const control = element('textarea', {id, rows: 6, className: 'code', dir: 'auto',
                                         spellcheck: false});
    return {node: field(`${label} (JSON)`, control, description),
            value: () => control.value.trim() === '' ? undefined : parsed(control.value, label)};
  },
};
makers.integer = makers.number;

const textIn = (value) => typeof value === 'string' ? plain(value) : '';

function make(id, label, schema) {
  const kind = kindOf(schema) ?? 'json';
  return makers[kind](id, label, {...schema, description: textIn(schema?.description)});
}

/// The members of an object that can have a field each; undefined: they cannot.
function membersOf(schema) {
  const members = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  const fits = schema.type === 'object' && members.length > 0 && members.length <= membersMax;
  return fits ? members : undefined;
}

/// Fields for a value of this schema; without one, for a text. {node, value()},
/// where `value` throws a SyntaxError that says what is missing.
export function schemaFields(id, label, schema = {type: 'string'}) {
  const members = isObject(schema) ? membersOf(schema) : undefined;
  if (members === undefined) {
    const only = make(id, label, schema);
    return {node: only.node, value() {
      const value = only.value();
      if (value === undefined) {
        throw new SyntaxError(`${label} is empty`);
      }
      return value;
    }};
  }
  const required = Array.isArray(schema.required) ? schema.required : [];
  const parts = members.map(([key, of], index) => ({
    key,
    label: textIn(of?.title) || plain(key),
    ...make(`${id}-${index}`, (textIn(of?.title) || plain(key)) +
                              (required.includes(key) ? '' : ' (may be empty)'), of),
  }));
  return {
    node: element('fieldset', {}, element('legend', {}, label), parts.map((each) => each.node)),
    value() {
      const filled = parts.map((each) => [each.key, each.value(), each.label])
                          .filter(([, value]) => value !== undefined);
      const missing = parts.find(({key}) => required.includes(key) &&
                                            !filled.some(([other]) => other === key));
      if (missing !== undefined) {
        throw new SyntaxError(`${missing.label} is empty`);
      }
      return Object.fromEntries(filled);
    },
  };
}
