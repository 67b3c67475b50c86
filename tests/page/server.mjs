// A server under test, and what the tests do there beside the page.
import assert from 'node:assert/strict';
import {execFileSync, spawn} from 'node:child_process';
import {mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';

const program = process.env.CONVENE;
const startMax = 120_000; // ms
const triesMax = 20;

/// A port that is given to nobody who asks for any: so it is free, too, while
/// the server is away.
function portToKeep() {
  const [least] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s+/).map(Number);
  const first = 10_000;
  return first + Math.floor(Math.random() * (least - first));
}

export class Server {
  #process;
  #options;
  #folder = mkdtempSync(path.join(tmpdir(), 'convene-page-'));

  /// `keys` are scopes of keys to make, by a name of the test's own; `options`
  /// are more of those of `convene serve`.
  static async start({keys = {}, workflows = [], options = []} = {}) {
    const made = new Server();
    made.keys = {};
    const definitions = path.join(made.#folder, 'workflows');
    mkdirSync(definitions);
    for (const each of workflows) {
      writeFileSync(path.join(definitions, `${each.id}.json`), JSON.stringify(each));
    }
    made.#options = ['--data', path.join(made.#folder, 'data'), '--workflows', definitions];
    const file = path.join(made.#folder, 'keys.json');
    for (const [name, scopes] of Object.entries(keys)) {
      const said = execFileSync(program,
          ['keys', 'new', '--file', file, '--scope', scopes, '--json'], {encoding: 'utf8'});
      made.keys[name] = JSON.parse(said).key;
    }
    if (Object.keys(keys).length > 0) {
      made.#options.push('--keys', file);
    }
    made.#options.push(...options);
    for (let tries = 1;; ++tries) {
      try {
        await made.#run(`127.0.0.1:${portToKeep()}`);
        return made;
      } catch (error) {
        if (tries === triesMax || !error.message.includes('cannot listen on')) {
          throw error;
        }
      }
    }
  }

  async #run(address) {
    this.#process = spawn(program, ['serve', '--listen', address, ...this.#options],
                          {stdio: ['ignore', 'pipe', 'pipe']});
    let said = '';
    this.url = await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no address within ${startMax} ms: ${said}`)),
                               startMax);
      const read = (text) => {
        said += text;
        const found = /https?:\/\/127\.0\.0\.1:\d+/.exec(said);
        if (found !== null) {
          clearTimeout(timer);
          resolve(found[0]);
        }
      };
      this.#process.stdout.setEncoding('utf8').on('data', read);
      this.#process.stderr.setEncoding('utf8').on('data', read);
      this.#process.on('exit', (code) => reject(new Error(`the server ended with ${code}: ${said}`)));
    });
  }

  /// Kills it, as a power cut would.
  async kill() {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) {
      return;
    }
    const over = new Promise((end) => { this.#process.once('exit', end); });
    this.#process.kill('SIGKILL');
    await over;
  }

  /// Starts it again, where it was.
  startAgain() {
    return this.#run(new URL(this.url).host);
  }

  async stop() {
    await this.kill();
    rmSync(this.#folder, {recursive: true, force: true});
  }

  async request(where, {body, key} = {}) {
    const answer = await fetch(this.url + where, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {...(body !== undefined && {'Content-Type': 'application/json'}),
                ...(key !== undefined && {Authorization: `Bearer ${key}`})},
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await answer.text();
    assert.ok(answer.ok, `${where}: ${answer.status} ${text}`);
    return JSON.parse(text);
  }

  /// Starts a session and waits until somebody is asked there; returns its id.
  async session(scenario, key) {
    const {session_id: id} = await this.request('/v1/sessions', {body: {scenario}, key});
    await this.question(id, key);
    return id;
  }

  /// The session's open question, once there is one.
  async question(id, key) {
    for (;;) {
      const {requests} = await this.request(`/v1/requests?session=${id}&wait_ms=1000`, {key});
      const found = requests.find((each) => each.session.session_id === id);
      if (found !== undefined) {
        return found;
      }
      await new Promise((end) => { setTimeout(end, 50); });
    }
  }

  /// Starts a run of a workflow; returns its id.
  async startRun(workflowId, key) {
    return (await this.request('/v1/runs', {body: {workflowId}, key})).runId;
  }

  /// The run, once it has this status.
  async run(id, status, key) {
    for (;;) {
      const run = await this.request(`/v1/runs/${id}`, {key});
      if (run.status === status) {
        return run;
      }
      await new Promise((end) => { setTimeout(end, 50); });
    }
  }

  /// The payloads of the run's events of a type.
  async runEvents(id, type) {
    const answer = await fetch(`${this.url}/v1/runs/${id}/events`,
                               {headers: {Accept: 'application/json'}});
    const {events} = await answer.json();
    return events.filter((each) => each.type === type).map((each) => each.payload);
  }

  async answer(id, reply) {
    const {token} = await this.question(id);
    await this.request(`/v1/requests/${token}/reply`, {body: reply});
  }

  async events(id) {
    return (await this.request(`/v1/sessions/${id}/events?limit=1000`)).events;
  }

  /// What was answered in the session, once somebody has: the last reply.
  async reply(id, who) {
    for (;;) {
      const replies = (await this.events(id)).map(({payload}) => payload)
          .filter((each) => each.participant_id === who && each.reply !== undefined);
      if (replies.length > 0) {
        return replies.at(-1).reply;
      }
      await new Promise((end) => { setTimeout(end, 50); });
    }
  }
}

export const sessionAt = (server, id) => `${server.url}/session/${id}`;
export const runAt = (server, id) => `${server.url}/#/run/${id}`;
export const questionAt = (server, id, who) => `${server.url}/#/question/${id}/${who}`;
