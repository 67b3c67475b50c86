// A report page, as a person meets it: opened from a file, with nobody to ask.
// report_sample writes one with every kind of chart.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {after, before, test} from 'node:test';
import {cells, closeFile, findingsOf, launch, openAll, openReport, tabTo, texts} from './browser.mjs';
import {hostile} from './scenarios.mjs';

const sample = process.env.CONVENE_REPORT_SAMPLE;
const pictures = process.env.CONVENE_SCREENSHOTS;
const sizes = {phone: {width: 360, height: 740}, desktop: {width: 1280, height: 900}};
/// A text that would end the element which a careless page had it in.
const evil = `</script>${hostile.script}${hostile.image}</title><!-- "'`;

let folder;
let browser;
const files = {};

before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'convene-report-'));
  for (const [name, words] of Object.entries({plain: [], evil: [evil], long: ['word '.repeat(60).trim()]})) {
    const file = path.join(folder, `${name}.html`);
    execFileSync(sample, [file, ...words]);
    files[name] = file;
  }
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, {recursive: true, force: true});
});

const report = (name, options) => openReport(browser, files[name], options);

test('a report has each of its numbers in a table, rounded for people and as it is', async () => {
  const page = await report('plain');
  assert.equal(await page.title(), 'convene: Sample');
  assert.deepEqual(await texts(page, '#verdicts li'), ['✓ All seeds hold.', '✗ Three break a property.', 'Interrupted.']);
  assert.deepEqual(await texts(page, '#facts div'), ['Seeds1 to 1,000', 'Threads2']);
  await openAll(page);
  assert.deepEqual(await cells(page, 'How sessions ended'), [
    ['completed: plan_complete', ['950', 950, null, null]],
    ['cancelled: max_turns', ['47 (40 to 60)', 47, 40, 60]],
    ['failed', ['0', 0, null, null]],
  ]);
  assert.deepEqual(await cells(page, 'Measures'), [
    ['completion_ms', ['80 ms', 80, null, null], ['150 ms (145 ms to 155 ms)', 150, 145, 155],
     ['225 ms (220 ms to 229 ms)', 225, 220, 229], ['never (280 ms or more)', null, 280, null], '?'],
    ['turns', ['12', 12, null, null], ['12 (12 to 12)', 12, 12, 12], ['12 (12 to 12)', 12, 12, 12],
     ['12 (12 or more)', 12, 12, null], ['12', 12, null, null]],
  ]);
  assert.deepEqual((await cells(page, 'Against broadcast')).slice(0, 2), [
    ['round_robin', ['+1.2 s (+900 ms to +1.5 s)', 1200, 900, 1500], ['93.01 % (90 % to 95 %)', 0.9301, 0.9, 0.95]],
    ['orchestrated', ['−300 ms (−500 ms to −100 ms)', -300, -500, -100], ['100 % (98 % to 100 %)', 1, 0.98, 1]],
  ]);
  const overTime = await cells(page, 'Latency over time');
  assert.equal(overTime.length, 120);
  assert.deepEqual(overTime[0], [['0 ms', 0, null, null], ['2 ms', 2, null, null], ['9 ms', 9, null, null]]);
  assert.deepEqual(overTime[40], [['40 s', 40000, null, null], '?', '?']);
  const percentiles = await cells(page, 'Percentiles');
  assert.deepEqual(percentiles.map(([[name]]) => name), ['p50', 'p75', 'p90', 'p99', 'p99.9', 'p99.99', 'p100']);
  assert.deepEqual((await cells(page, 'Memory'))[1], [['100', 100, null, null], ['3.338 MiB', 3.5e6, null, null]]);
  assert.deepEqual(await cells(page, 'Failures'), [
    [['7', 7, null, null], 'calm', ['$1.25', 1250000, null, null]],
    [['12', 12, null, null], 'agreed', ['$0', 0, null, null]],
  ]);
  assert.deepEqual(JSON.parse(await page.locator('#data').textContent()), {seeds: 1000, share: 0.9301});
  await closeFile(page);
});

/// Of a part's chart: attributes of the elements of a class.
const drawn = (page, title, selector, names) => page.locator('section')
    .filter({has: page.getByRole('heading', {name: title})}).locator(selector)
    .evaluateAll((all, wanted) => all.map((each) => wanted.map((name) => Number(each.getAttribute(name)))), names);

test('what is drawn is as long, and as far away, as its number is large', async () => {
  const page = await report('plain');
  const [[most], [some], [none]] = await drawn(page, 'How sessions ended', '.bar', ['width']);
  assert.ok(Math.abs(some / most - 47 / 950) < 1e-3, `${some} of ${most}`);
  assert.equal(none, 0);
  // 1200, -300 and -20 ms: as far apart on the line.
  const [[slower], [faster], [unclear]] = await drawn(page, 'Against broadcast', 'figure:first-child .dot', ['cx']);
  assert.ok(Math.abs((slower - faster) / (unclear - faster) - 1500 / 280) < 1e-2);
  const classes = await page.locator('#part-3 figure:first-child g').evaluateAll((all) => all.map((each) => (
    each.getAttribute('class'))));
  assert.deepEqual(classes, ['worse', 'better', 'unclear']);
  // A histogram's bars have areas like their counts: 12 in 20 ms, 90 and 140 in 40.
  const areas = (await drawn(page, 'Measures', '.bin', ['width', 'height'])).map(([wide, tall]) => (wide + 1) * tall);
  assert.ok(Math.abs(areas[1] / areas[0] - 90 / 12) < 0.05 && Math.abs(areas[2] / areas[1] - 140 / 90) < 0.05, areas);
  // p90, p99, p99.9 and p99.99 are as far apart; p100 is nowhere.
  const dots = (await drawn(page, 'Percentiles', 'figure g:first-of-type .point', ['cx'])).map(([x]) => x);
  assert.equal(dots.length, 6);
  assert.ok(Math.abs((dots[3] - dots[2]) - (dots[5] - dots[4])) < 0.1, dots);
  // A gap is no line.
  const paths = await page.locator('#part-4 .line').evaluateAll((all) => all.map((each) => each.getAttribute('d')));
  assert.deepEqual(paths.map((each) => each.split('M').length - 1), [2, 2]);
  // A limit is a line along at its height: above p50, below the highest p99.
  const [[level]] = await drawn(page, 'Latency over time', '.level', ['y1']);
  const heights = paths.map((path) => [...path.matchAll(/ ([\d.]+)/g)].map(([, y]) => Number(y)));
  assert.ok(level < Math.min(...heights[0]) && level > Math.min(...heights[1]), `${level}`);
  assert.deepEqual(await page.locator('#part-4 .level-words').allTextContents(), ['p99<12ms']);
  await closeFile(page);
});

test('texts on a report are never run, whatever they are', async () => {
  const page = await report('evil');
  await openAll(page);
  assert.equal(await page.locator('#title').textContent(), evil);
  assert.ok((await texts(page, 'h2')).every((each) => each === evil));
  assert.equal(await page.locator('body script:not([type="text/plain"])').count(), 1);
  assert.equal(await page.locator('body img').count(), 0);
  assert.deepEqual(JSON.parse(await page.locator('#data').textContent()), {[evil]: evil});
  await closeFile(page);
});

test('a report is read with the keyboard alone', async () => {
  const page = await report('plain');
  await tabTo(page, 'Percentiles');
  await page.keyboard.press('Enter');
  assert.equal(new URL(page.url()).hash, '#part-5');
  await tabTo(page, 'Numbers');
  await page.keyboard.press('Enter');
  await page.getByRole('group', {name: 'Percentiles'}).waitFor();
  await closeFile(page);
});

for (const [device, viewport] of Object.entries(sizes)) {
  for (const colorScheme of ['light', 'dark']) {
    test(`axe finds nothing, and nothing is too wide: report, ${device}, ${colorScheme}`, async () => {
      for (const name of Object.keys(files)) {
        const page = await report(name, {viewport, colorScheme});
        if (pictures) {
          await page.screenshot({path: path.join(pictures, `report-${name}-${device}-${colorScheme}.png`), fullPage: true});
        }
        assert.deepEqual(await findingsOf(page), [], name);
        await closeFile(page);
      }
    });
  }
}
