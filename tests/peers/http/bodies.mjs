// Holds what a server takes and gives against its OpenAPI document, by AJV.
import assert from 'node:assert/strict';
import {Ajv2020} from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const escaped = (text) => text.replaceAll('~', '~0').replaceAll('/', '~1');
const short = (text) => (text.length > 400 ? `${text.slice(0, 400)}...` : text);

export class Bodies {
  #ajv = new Ajv2020({strict: false});
  #patterns;
  seen = new Set();

  constructor(document) {
    this.document = document;
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(document, 'api');
    // Of several that fit, the one with more literal text counts.
    this.#patterns = Object.keys(document.paths)
        .sort((one, other) => other.replace(/\{[^}]*\}/g, '').length - one.replace(/\{[^}]*\}/g, '').length)
        .map((path) => [path, new RegExp(`^${path.split(/\{[^}]*\}/)
            .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[^/]+')}$`)]);
  }

  /// `GET /v1/sessions` and the like, with the operation.
  * operations() {
    for (const [path, methods] of Object.entries(this.document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        yield [`${method.toUpperCase()} ${path}`, operation];
      }
    }
  }

  /// Fails if an exchange is not as the document says. Errors outside of its paths have no operation.
  check({method, path, status, type, body, answer}) {
    const what = `${method} ${path} -> ${status}`;
    const place = this.#patterns.find(([, fits]) => fits.test(path.split('?')[0]))?.[0];
    const operation = this.document.paths[place]?.[method.toLowerCase()];
    if (operation === undefined) {
      assert.ok(status >= 400 || method === 'HEAD', `${what}: an operation that the document lacks`);
      return;
    }
    const at = `api#/paths/${escaped(place)}/${method.toLowerCase()}`;
    const said = operation.responses[status] === undefined && status >= 400 ? 'default' : String(status);
    const described = operation.responses[said];
    assert.ok(described, `${what}: a status that the document lacks`);
    if (described.content !== undefined || answer !== '') {
      const media = (type ?? '').split(';')[0];
      assert.ok(described.content?.[media], `${what}: ${media} is a type that the document lacks`);
      const value = media.endsWith('json') ? JSON.parse(answer) : answer;
      this.#fits(`${at}/responses/${said}/content/${escaped(media)}/schema`, value, what);
    }
    if (status < 300) {
      this.seen.add(`${method} ${place}`);
      if (body !== undefined && body !== '') {
        this.#fits(`${at}/requestBody/content/application~1json/schema`, JSON.parse(body), `body of ${what}`);
      }
    }
  }

  #fits(schema, value, what) {
    const validate = this.#ajv.getSchema(encodeURI(schema));
    assert.ok(validate, `${what}: no schema`);
    assert.ok(validate(value),
              `${what}: ${this.#ajv.errorsText(validate.errors)}: ${short(JSON.stringify(value))}`);
  }
}
