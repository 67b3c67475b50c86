// What a session was at any of its events, on the page that `convene view` makes:
// resources, plan and dialog, and what changed between two moments.
import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {after, before, test} from 'node:test';
import {pathToFileURL} from 'node:url';
import {closeFile, launch, open, texts} from './browser.mjs';

const program = process.env.CONVENE;
const pictures = process.env.CONVENE_SCREENSHOTS;
const inspector = new URL('../../server/page/inspector/', import.meta.url).pathname;
const axe = readFileSync(new URL('node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
const evil = '</script><script>window.harmed = 1</script>';

const write = (resource_id, base_version, op, value) => ({resource_type: 'doc', resource_id, base_version, op, ...(value !== undefined && {value})});
const turns = [
  {content: `One ${evil}`, writes: [write('notes', 1, 'put', 'first\nsecond'), write('set', 1, 'merge', {a: null, b: {c: 2}, __proto__x: 1})]},
  {content: 'Two', writes: [write('notes', 2, 'put', 'first\nthird'),
                            write('set', 2, 'patch', [{op: 'add', path: '/list/-', value: 4}, {op: 'replace', path: '/b/c', value: 3},
                                                      {op: 'move', from: '/list/0', path: '/was~1first'}, {op: 'remove', path: '/list/0'}])]},
  {content: 'Three', writes: [write('gone', 1, 'delete'), write(evil, 0, 'put', evil)]},
];
const scenario = {
  convene: '1',
  collab: {title: 'Moments', purpose: 'Write', mode: 'round_robin', participants: [{participant_id: 'ann', kind: 'agent', role_id: 'role-w'}]},
  task: 'Write', session: {rounds: 3}, behaviours: {ann: {type: 'script', turns}},
  workspace: [{resource_type: 'doc', resource_id: 'notes', value: 'begin'}, {resource_type: 'doc', resource_id: 'gone', value: 1},
              {resource_type: 'doc', resource_id: 'set', value: {a: 1, list: [1, 2, 3]}}],
};

let folder;
let browser;
let events;
let workspace;
let url;

before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'convene-moments-'));
  const from = path.join(folder, 'scenario.json');
  const log = path.join(folder, 'log');
  writeFileSync(from, JSON.stringify(scenario));
  const done = spawnSync(program, ['run', from, '--out', log, '--seed', '3', '--quiet'], {encoding: 'utf8'});
  assert.equal(done.status, 0, done.stderr);
  events = readFileSync(path.join(log, 'events.jsonl'), 'utf8').trim().split('\n').map((line) => JSON.parse(line))
      .filter((each) => each.event_type !== undefined);
  workspace = JSON.parse(readFileSync(path.join(log, 'workspace.json'), 'utf8'));
  execFileSync(program, ['view', log, '--out', path.join(folder, 'page.html'), '--quiet']);
  url = pathToFileURL(path.join(folder, 'page.html')).href;
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, {recursive: true, force: true});
});

async function view(options = {viewport: {width: 1440, height: 900}}) {
  const page = await open(browser, url, options);
  await page.waitForFunction(() => document.documentElement.dataset.ready !== undefined);
  await page.getByRole('button', {name: 'State', exact: true}).click();
  await page.locator('#state h3').first().waitFor();
  return page;
}

async function moveTo(page, name, event) {
  await page.getByLabel(name, {exact: true}).fill(String(event));
  await page.waitForFunction(([words, at]) => document.querySelector(`#state input[aria-label="${words}"]`).getAttribute('aria-valuetext')
      .startsWith(`event ${at} of`), [name, event]);
}

/// {name: [words, value]} of the resources that are shown.
async function resources(page) {
  await page.locator('#state details').evaluateAll((all) => all.forEach((each) => { each.open = true; }));
  await page.waitForFunction(() => [...document.querySelectorAll('#state details')].every((each) => each.children.length > 1));
  return Object.fromEntries(await page.locator('#state details').evaluateAll((all) => all.map((each) => [
    each.querySelector('code').textContent, [each.querySelector('.meta').textContent, each.querySelector('pre, .diff').textContent]])));
}

const settled = (page, heading) => page.locator('#state h3', {hasText: heading}).waitFor();

test('at the end the state is the workspace that the run left, whatever the writes were', async () => {
  const page = await view();
  await settled(page, 'Dialog (3)');
  const shown = await resources(page);
  for (const {resource_type: type, resource_id: id, version, value, deleted} of workspace.resources) {
    const [words, text] = shown[`${type}/${id}`.replaceAll('\u202e', '')];
    assert.ok(words.startsWith(deleted ? 'deleted' : `version ${version}`), `${id}: ${words}`);
    if (!deleted) {
      const made = typeof value === 'string' ? text : JSON.parse(text);
      assert.deepEqual(made, value, id);
    }
  }
  assert.ok(workspace.resources.some(({resource_id: id}) => id === 'set'));
  await closeFile(page);
});

test('a slider leads to any event: what was not there yet is not shown', async () => {
  const page = await view();
  const first = events.findIndex((each) => each.event_type === 'MAPTurnCompleted') + 1;
  await moveTo(page, 'Moment', first);
  await settled(page, 'Dialog (1)');
  const shown = await resources(page);
  assert.deepEqual(shown['doc/notes'], ['version 2 by ann', 'first\nsecond']);
  assert.deepEqual(JSON.parse(shown['doc/set'][1]), {list: [1, 2, 3], b: {c: 2}, __proto__x: 1});
  assert.equal(shown['doc/gone'][0], 'version 1');
  assert.equal(shown[`doc/${evil}`], undefined);
  // By keyboard, too; and an event that is chosen elsewhere is the moment.
  await page.getByLabel('Moment', {exact: true}).focus();
  await page.keyboard.press('Home');
  await settled(page, 'Dialog (0)');
  await page.locator('#canvas').focus();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await settled(page, 'Dialog (1)');
  await closeFile(page);
});

test('between two moments only what changed is shown, as differences', async () => {
  const page = await view();
  const ends = events.flatMap((each, at) => (each.event_type === 'MAPTurnCompleted' ? [at + 1] : []));
  await moveTo(page, 'Moment', ends[1]);
  await page.getByLabel('Show what changed since another moment').check();
  await moveTo(page, 'Compared with', ends[0]);
  await settled(page, 'Said between (1)');
  const shown = await resources(page);
  assert.deepEqual(Object.keys(shown).sort(), ['doc/notes', 'doc/set']);
  assert.equal(shown['doc/notes'][0], 'version 2 → version 3 by ann');
  assert.equal(shown['doc/notes'][1], ' first−second+third');
  // The other way round it is the same.
  await moveTo(page, 'Moment', ends[0]);
  await moveTo(page, 'Compared with', ends[1]);
  await settled(page, 'Said between (1)');
  assert.equal((await resources(page))['doc/notes'][1], ' first−second+third');
  assert.deepEqual(await texts(page, '#state .told p'), ['Two']);
  await closeFile(page);
});

test('a plan that the scenario brought is there from the beginning, in words', async () => {
  const log = path.join(folder, 'planned');
  const example = new URL('../../examples/refactoring-swarm', import.meta.url).pathname;
  const done = spawnSync(program, ['run', example, '--out', log, '--quiet'], {encoding: 'utf8'});
  assert.equal(done.status, 0, done.stderr);
  const all = readFileSync(path.join(log, 'events.jsonl'), 'utf8').trim().split('\n').map((line) => JSON.parse(line))
      .filter((each) => each.event_type !== undefined);
  const words = JSON.parse(readFileSync(path.join(example, 'plan.json'), 'utf8')).steps.map(({description}) => description);
  execFileSync(program, ['view', log, '--out', path.join(folder, 'planned.html'), '--quiet']);
  const page = await open(browser, pathToFileURL(path.join(folder, 'planned.html')).href, {viewport: {width: 1440, height: 900}});
  await page.waitForFunction(() => document.documentElement.dataset.ready !== undefined);
  await page.getByRole('button', {name: 'State', exact: true}).click();
  await settled(page, `Plan (${words.length})`);
  await moveTo(page, 'Moment', 1);
  await settled(page, 'Dialog (0)');
  assert.deepEqual((await texts(page, '#state li')).sort(), words.map((each) => `pending ${each}`).sort());
  await moveTo(page, 'Moment', all.length);
  await page.getByLabel('Show what changed since another moment').check();
  await settled(page, `Steps changed (${words.length})`);
  assert.deepEqual((await texts(page, '#state li')).sort(), words.map((each) => `pending → completed ${each}`).sort());
  await closeFile(page);
});

test('patches and merges are carried out as their standards have it', () => {
  const source = readFileSync(path.join(inspector, 'moments.js'), 'utf8');
  const {merged, patched, appliedTo} = new Function(`${source.replace(/^class Moments[\s\S]*/m, '')}\nreturn {merged, patched, appliedTo};`)();
  // RFC 7396, appendix A.
  for (const [value, patch, made] of [[{a: 'b'}, {a: null}, {}], [{a: ['b']}, {a: 'c'}, {a: 'c'}], [{a: {b: 'c'}}, {a: {b: 'd', c: null}}, {a: {b: 'd'}}],
                                      [['a', 'b'], {a: 1}, {a: 1}], [{e: null}, {a: 1}, {e: null, a: 1}], [{}, {a: {bb: {ccc: null}}}, {a: {bb: {}}}]]) {
    assert.deepEqual(merged(value, patch), made);
  }
  // RFC 6902, appendix A.
  for (const [value, patch, made] of [
    [{foo: ['bar', 'baz']}, [{op: 'add', path: '/foo/1', value: 'qux'}], {foo: ['bar', 'qux', 'baz']}],
    [{baz: 'qux', foo: 'bar'}, [{op: 'remove', path: '/baz'}], {foo: 'bar'}],
    [{foo: {bar: 'baz', waldo: 'fred'}, qux: {corge: 'grault'}}, [{op: 'move', from: '/foo/waldo', path: '/qux/thud'}],
     {foo: {bar: 'baz'}, qux: {corge: 'grault', thud: 'fred'}}],
    [{foo: ['all', 'grass', 'cows', 'eat']}, [{op: 'move', from: '/foo/1', path: '/foo/3'}], {foo: ['all', 'cows', 'eat', 'grass']}],
    [{'/': 9, '~1': 10}, [{op: 'test', path: '/~01', value: 10}, {op: 'copy', from: '/~1', path: '/b'}], {'/': 9, '~1': 10, b: 9}],
    [1, [{op: 'replace', path: '', value: [2]}], [2]],
  ]) {
    assert.deepEqual(patched(value, patch), made);
  }
  assert.equal(({}).polluted, undefined);
  patched({}, [{op: 'add', path: '/__proto__', value: {polluted: 1}}]);
  assert.equal(({}).polluted, undefined);
  assert.match(appliedTo(1, {op: 'patch', value: [{op: 'add', path: '/a/b', value: 1}]}), /cannot be shown/);
});

for (const [device, viewport, colorScheme] of [['phone', {width: 390, height: 844}, 'dark'], ['desktop', {width: 1440, height: 900}, 'light']]) {
  test(`axe finds nothing in the state of a session: ${device}, ${colorScheme}`, async () => {
    const page = await view({viewport, colorScheme});
    await page.getByLabel('Show what changed since another moment').check();
    await settled(page, 'Said between');
    await resources(page);
    await page.evaluate(axe);
    const {violations} = await page.evaluate(() => window.axe.run());
    assert.deepEqual(violations.map(({id, nodes}) => `${id}: ${nodes.map((each) => each.html).join(' ')}`), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'too wide');
    if (pictures) {
      await page.screenshot({path: path.join(pictures, `state-${device}.png`)});
    }
    await closeFile(page);
  });
}
