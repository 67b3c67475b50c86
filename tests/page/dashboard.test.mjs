// What the home of a server shows of it, live: the numbers of GET /metrics.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import path from 'node:path';
import {after, before, test} from 'node:test';
import {close, launch, open} from './browser.mjs';
import {review} from './scenarios.mjs';
import {Server} from './server.mjs';

const source = readFileSync(new URL('../../server/page/files/numbers.js', import.meta.url), 'utf8');
const {bucketsOf, parseNumbers, quantileOf, sinceThen, sumOf} = await import(`data:text/javascript,${encodeURIComponent(source)}`);
const axe = readFileSync(new URL('node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
const pictures = process.env.CONVENE_SCREENSHOTS;

let browser;
let server;
before(async () => {
  browser = await launch();
  server = await Server.start();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const tile = (page, name) => page.locator('#dashboard dl > div').filter({has: page.locator('dt', {hasText: new RegExp(`^${name}$`)})});
const value = async (page, name) => (await tile(page, name).locator('dd').first().textContent()).replaceAll(',', '');
const until = (page, name, text) => tile(page, name).locator('dd', {hasText: text}).first().waitFor();

async function numbers(of = server, key = undefined) {
  const answer = await fetch(`${of.url}/metrics`, {headers: key === undefined ? {} : {Authorization: `Bearer ${key}`}});
  return parseNumbers(await answer.text());
}

test('sessions, turns, tokens and times are those of the metrics, and follow them', async () => {
  const id = await server.session(review({rounds: 1}));
  const page = await open(browser, server.url);
  await until(page, 'Sessions open', '1');
  await until(page, 'Tokens', '1,234');
  await until(page, 'Turns a second', '1 in all, 0 failed');
  await server.answer(id, {content: 'Good.', usage: {prompt_tokens: 6, completion_tokens: 1}});
  await until(page, 'Sessions open', '0');
  await until(page, 'Turns a second', '2 in all');
  await until(page, 'Tokens', '1,241');
  const all = await numbers();
  assert.equal(await value(page, 'Tokens'), String(sumOf(all, 'convene_tokens_total')));
  assert.equal(await value(page, 'Conflicts'), String(sumOf(all, 'convene_conflicts_total')));
  assert.match(await value(page, 'Turn p99'), /^[\d.]+ (ms|s|min)$/);
  await close(page);
});

test('a key without the scope for metrics sees no numbers, and asks for none', async () => {
  const own = await Server.start({keys: {reader: 'read'}});
  const page = await open(browser, own.url);
  await page.getByLabel('Key', {exact: true}).fill(own.keys.reader);
  await page.keyboard.press('Enter');
  await page.locator('#sessions-part, .first').first().waitFor();
  await page.waitForTimeout(500);
  assert.ok(await page.locator('#dashboard').isHidden());
  assert.deepEqual(page.seen.urls.filter((each) => each.endsWith('/metrics')), []);
  await close(page);
  await own.stop();
});

test('quantiles are estimated as Prometheus does', () => {
  const text = ['# HELP t_seconds x', 't_seconds_bucket{mode="a",le="0.1"} 2', 't_seconds_bucket{mode="a",le="1"} 4',
                't_seconds_bucket{mode="a",le="+Inf"} 4', 't_seconds_bucket{mode="b \\" {",le="0.1"} 0', 't_seconds_bucket{mode="b \\" {",le="1"} 4',
                't_seconds_bucket{mode="b \\" {",le="+Inf"} 6', 'n_total 3', 'n_total{x="y"} 4.5'].join('\n');
  const all = parseNumbers(text);
  assert.equal(sumOf(all, 'n_total'), 7.5);
  assert.equal(sumOf(all, 'none'), 0);
  const buckets = bucketsOf(all, 't_seconds');
  assert.deepEqual([...buckets], [[0.1, 2], [1, 8], [Infinity, 10]]);
  // histogram_quantile of the same: rank 5 is 3 of 6 within 0.1 to 1.
  assert.ok(Math.abs(quantileOf(buckets, 0.5) - 0.55) < 1e-12);
  assert.equal(quantileOf(buckets, 0.99), 1);
  assert.equal(quantileOf(new Map(), 0.5), undefined);
  assert.deepEqual([...sinceThen(buckets, new Map([[0.1, 1], [1, 9], [Infinity, 4]]))], [[0.1, 1], [1, 0], [Infinity, 6]]);
});

for (const [device, viewport, colorScheme] of [['phone', {width: 390, height: 844}, 'dark'], ['desktop', {width: 1440, height: 900}, 'light']]) {
  test(`axe finds nothing at a home with numbers: ${device}, ${colorScheme}`, async () => {
    const page = await open(browser, server.url, {viewport, colorScheme});
    await page.locator('#dashboard .sparkline svg').waitFor();
    await page.evaluate(axe);
    const {violations} = await page.evaluate(() => window.axe.run());
    assert.deepEqual(violations.map(({id, nodes}) => `${id}: ${nodes.map((each) => each.html).join(' ')}`), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'too wide');
    if (pictures) {
      await page.screenshot({path: path.join(pictures, `dashboard-${device}.png`), fullPage: true});
    }
    await close(page);
  });
}
