import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {after, before, test} from 'node:test';
import autocannon from 'autocannon';
import {EventSource} from 'eventsource';
import {createParser} from 'eventsource-parser';
import {Server} from '../../page/server.mjs';

const review = JSON.parse(readFileSync(new URL('../../../examples/server/review.json', import.meta.url)))
    .scenario;
let server;

before(async () => { server = await Server.start(); });
after(() => server.stop());

const eventsOf = (id) => `${server.url}/v1/sessions/${id}/events`;

/// Collects a session's events by EventSource, which joins again by itself.
function collect(id) {
  const source = new EventSource(eventsOf(id));
  const all = [];
  const waiting = [];
  const listen = (type) => source.addEventListener(type, (event) => {
    all.push({sequence: Number(event.lastEventId), event: JSON.parse(event.data)});
    for (const look of waiting) {
      look();
    }
  });
  ['MAPSessionStarted', 'MAPTurnDispatched', 'MAPTurnCompleted', 'MAPSessionCompleted'].forEach(listen);
  return {
    all,
    has: (type) => new Promise((resolve) => {
      const look = () => {
        if (all.some(({event}) => event.event_type === type)) {
          resolve();
        }
      };
      waiting.push(look);
      look();
    }),
    close: () => source.close(),
  };
}

test('EventSource gets each event once, over a kill and a restart', async () => {
  const id = await server.session(review);
  const seen = collect(id);
  await seen.has('MAPTurnCompleted');
  await server.kill();
  await server.startAgain();
  await server.answer(id, {content: 'APPROVED'});
  await seen.has('MAPSessionCompleted');
  seen.close();
  const recorded = await server.events(id);
  const wanted = recorded.flatMap((event, at) => seen.all.some((one) => one.event.event_type === event.event_type)
    ? [{sequence: at + 1, event}] : []);
  assert.deepEqual(seen.all, wanted);
});

test('a parser of event streams reads what the page of events has', async () => {
  const id = await server.session(review);
  await server.answer(id, {content: 'APPROVED'});
  const answer = await fetch(eventsOf(id), {headers: {Accept: 'text/event-stream'}});
  const seen = [];
  const parser = createParser({onEvent: ({id: sequence, event, data}) => {
    const made = JSON.parse(data);
    assert.equal(event, made.event_type);
    assert.equal(Number(sequence), seen.length + 1);
    seen.push(made);
  }});
  const decoder = new TextDecoder();
  for await (const bytes of answer.body) {
    parser.feed(decoder.decode(bytes, {stream: true}));
  }
  assert.deepEqual(seen, await server.events(id));
});

test('a load generator gets an answer to each request', async () => {
  const {errors, timeouts, non2xx, '2xx': good} = await autocannon({
    url: `${server.url}/healthz`, connections: 50, amount: 5000, timeout: 120,
  });
  assert.deepEqual({errors, timeouts, non2xx}, {errors: 0, timeouts: 0, non2xx: 0});
  assert.equal(good, 5000);
});
