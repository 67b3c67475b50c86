// The page's scripts, as the server serves them, in the browser: streams that
// are cut anywhere, and what sessions are like after their events.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {close, launch, open} from './browser.mjs';
import {Server} from './server.mjs';

let browser;
let server;
let page;
before(async () => {
  browser = await launch();
  server = await Server.start();
  page = await open(browser, server.url);
});
after(async () => {
  await close(page);
  await browser?.close();
  await server?.stop();
});

/// A stream as servers may write it: comments, all line ends, several lines of
/// data, characters of several bytes, an event without an id.
const stream = ': hello\n\nid: 1\ndata: one\n\nid: 2\r\nevent: turn\r\ndata: zwei ü 👋\r\ndata\r\n\r\n' +
               'data: without\n\nretry: 1\nid: 3\rdata:  three\r\r:\n\nid: 4\ndata: four\n\ndata: cut';
const parsed = [['1', 'message', 'one'], ['2', 'turn', 'zwei ü 👋\n'], ['2', 'message', 'without'],
                ['3', 'message', ' three'], ['4', 'message', 'four']];

test('a stream is read the same wherever it is cut into pieces', async () => {
  const got = await page.evaluate(async (text) => {
    const {StreamParser} = await import('/page/stream.js');
    const bytes = new TextEncoder().encode(text);
    const all = new Set();
    for (let cut = 0; cut <= bytes.length; ++cut) {
      const events = [];
      const parser = new StreamParser((event) => events.push([event.id, event.type, event.data]));
      parser.push(bytes.subarray(0, cut));
      parser.push(bytes.subarray(cut));
      all.add(JSON.stringify(events));
    }
    return [...all];
  }, stream);
  assert.deepEqual(got.map(JSON.parse), [parsed]);
});

test('after a cut at any byte no event is lost, and none comes twice', async () => {
  const [count, got] = await page.evaluate(async () => {
    const {Follower} = await import('/page/stream.js');
    const eventMax = 5;
    const part = (id) => new TextEncoder().encode(`id: ${id}\nevent: turn\ndata: text ${id} ü\n\n`);
    const whole = part(1).length * eventMax;
    const fetched = window.fetch;
    // Cut after as many bytes as the path says, again and again.
    window.fetch = async (path, {headers}) => {
      if (!String(path).startsWith('/cut/')) {
        return fetched(path, {headers});
      }
      const from = Number(headers['Last-Event-ID'] ?? 0);
      const bytes = Array.from({length: eventMax - from}, (_, i) => part(from + i + 1));
      const all = new Uint8Array(bytes.flatMap((each) => [...each]));
      let sent = false;
      const body = new ReadableStream({pull(to) {
        if (sent) {
          to.error(new TypeError('cut'));
        } else {
          sent = true;
          to.enqueue(all.slice(0, Number(path.slice(5))));
        }
      }}, {highWaterMark: 0});
      return new Response(body, {headers: {'Content-Type': 'text/event-stream'}});
    };
    const least = part(1).length;
    const follow = (cut) => new Promise((end) => {
      const events = [];
      new Follower(`/cut/${cut}`, {
        onEvent({id, data}) {
          events.push(`${id} ${data}`);
          if (id === String(eventMax)) {
            end(events.join());
          }
          return id !== String(eventMax);
        },
        onState() {},
        onEnd: (failure) => end(String(failure)),
      }).run();
    });
    const cuts = Array.from({length: whole - least + 1}, (_, i) => least + i);
    const results = await Promise.all(cuts.map(follow));
    window.fetch = fetched;
    return [cuts.length, [...new Set(results)]];
  });
  assert.ok(count > 100);
  assert.deepEqual(got, ['1 text 1 ü,2 text 2 ü,3 text 3 ü,4 text 4 ü,5 text 5 ü']);
});

test('a follower tells that it cannot connect, and that it can again', async () => {
  const states = await page.evaluate(async () => {
    const {Follower} = await import('/page/stream.js');
    const fetched = window.fetch;
    const seen = [];
    let attempts = 0;
    window.fetch = async (path, how) => {
      if (path !== '/away') {
        return fetched(path, how);
      }
      attempts += 1;
      if (attempts < 3) {
        throw new TypeError('away');
      }
      return new Response('id: 1\ndata: x\n\n');
    };
    await new Promise((end) => {
      const follower = new Follower('/away', {
        onEvent() {
          end();
          return false;
        },
        onState({connected, failure}) {
          seen.push(connected ? 'connected' : failure.code);
          follower.tryNow();
        },
        onEnd: end,
      });
      follower.run();
    });
    window.fetch = fetched;
    return seen;
  });
  assert.deepEqual(states, ['unreachable', 'unreachable', 'connected']);
});

test('a follower waits longer each time, and ends where trying again is of no use', async () => {
  const [waits, end] = await page.evaluate(async () => {
    const {Follower, waitBefore} = await import('/page/stream.js');
    const ended = await new Promise((resolve) => {
      new Follower('/v1/sessions/none/events', {onEvent() {}, onState() {}, onEnd: resolve}).run();
    });
    return [[1, 2, 3, 6, 100].map((n) => waitBefore(n, 1)), [ended.status, ended.code]];
  });
  assert.deepEqual(waits, [500, 1000, 2000, 15_000, 15_000]);
  assert.deepEqual(end, [404, 'session_unknown']);
});

test('what a person changes last is not new to them', async () => {
  const got = await page.evaluate(async () => {
    const {writesSince} = await import('/page/changes.js');
    const wrote = (name) => ({event_type: 'resource_written', payload: {resource_type: 'f', resource_id: name}});
    const turn = (who) => ({event_type: 'MAPTurnCompleted', payload: {participant_id: who}});
    return [...writesSince('ana', [wrote('a'), turn('ana'), wrote('b'), turn('ben'), wrote('c')]).keys()];
  });
  assert.deepEqual(got, ['f/b', 'f/c']);
});

test('a resource of JSON is written as JSON, or not at all', async () => {
  const got = await page.evaluate(async () => {
    const {writeOf} = await import('/page/reply.js');
    const resource = {resource_type: 'doc', resource_id: 'x', version: 3, value: {a: 1}};
    const made = writeOf(resource, '{"a": 2}');
    try {
      writeOf(resource, '{a: 2');
    } catch (error) {
      return [made, error.message];
    }
    return [made];
  });
  assert.deepEqual(got, [{resource_type: 'doc', resource_id: 'x', base_version: 3, value: {a: 2}},
                         'doc/x is JSON, and this text is not']);
});
