// The server's answers. The key stays in memory and in the tab's
// sessionStorage, so that a reload does not ask for it again; it goes with the
// tab, is on no disk that other tabs or visits read, and is never in a URL.

const storedAs = 'convene-key';
let key = sessionStorage.getItem(storedAs) ?? '';

export const hasKey = () => key !== '';

export function setKey(to) {
  key = to;
  if (key === '') {
    sessionStorage.removeItem(storedAs);
  } else {
    sessionStorage.setItem(storedAs, key);
  }
}

/// A request that has failed. `status` 0: no answer came.
export class Failure extends Error {
  constructor(status, code, message, {retryAfterMs = 0, shownKey = key, details} = {}) {
    super(message);
    this.details = details;
    this.status = status;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
    this.shownKey = shownKey;
  }

  /// Whether it says nothing of the key that the tab has now.
  get isOfOldKey() {
    return this.shownKey !== key;
  }

  /// Whether the same request may succeed a little later.
  get mayPass() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

async function failureOf(answer, shownKey) {
  // OpenWOP's endpoints have the code and the message side by side.
  const said = await answer.json().then(
      (body) => typeof body.error === 'string' ? {...body, code: body.error} : body.error,
      () => undefined);
  const seconds = Number(answer.headers.get('Retry-After'));
  return new Failure(answer.status, said?.code ?? 'http_status',
                     said?.message ?? `the server answered ${answer.status}`,
                     {retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : 0, shownKey, details: said?.details});
}

/// `fetch` with the key; throws a Failure, and AbortError as it is.
export async function request(path, {headers = {}, ...how} = {}) {
  const shownKey = key;
  const shown = key === '' ? headers : {...headers, Authorization: `Bearer ${key}`};
  let answer;
  try {
    answer = await fetch(path, {...how, headers: shown, cache: 'no-store', credentials: 'omit',
                                redirect: 'error', referrerPolicy: 'no-referrer'});
  } catch (error) {
    if (error.name === 'AbortError') {
      throw error;
    }
    throw new Failure(0, 'unreachable', 'the server cannot be reached');
  }
  if (!answer.ok) {
    throw await failureOf(answer, shownKey);
  }
  return answer;
}

const cut = () => new Failure(0, 'cut', 'the answer was cut off');

/// JSON, as a text.
export async function getText(path, signal) {
  const answer = await request(path, {signal, headers: {Accept: 'application/json'}});
  try {
    return await answer.text();
  } catch (error) {
    throw error.name === 'AbortError' ? error : cut();
  }
}

export async function get(path, signal) {
  const text = await getText(path, signal);
  try {
    return JSON.parse(text);
  } catch {
    throw cut();
  }
}

/// `text` is JSON.
export async function postText(path, text, idempotencyKey) {
  const answer = await request(path, {
    method: 'POST',
    body: text,
    headers: {'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey},
  });
  return answer.json().catch(() => ({}));
}

export const post = (path, body, idempotencyKey) => postText(path, JSON.stringify(body), idempotencyKey);

export const runPath = (id) => `/v1/runs/${encodeURIComponent(id)}`;
export const sessionPath = (id) => `/v1/sessions/${encodeURIComponent(id)}`;
