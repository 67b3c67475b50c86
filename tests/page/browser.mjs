// Debian's Chromium, and what a page must never do.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {pathToFileURL} from 'node:url';
import {chromium} from 'playwright-core';

const tabsMax = 80;
const waitMax = 120_000; // ms
const axe = readFileSync(new URL('node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');

export function launch() {
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    // Chromium's own sandbox does not work for root.
    args: process.getuid() === 0 ? ['--no-sandbox'] : [],
  });
}

/// Opens pages that note what they ask for, and whatever goes wrong.
export async function open(browser, url, options = {}) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(waitMax);
  const page = await context.newPage();
  const seen = {urls: [], faults: []};
  await page.addInitScript(() => {
    window.violations = [];
    document.addEventListener('securitypolicyviolation', (event) => {
      window.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
    });
  });
  page.on('request', (request) => seen.urls.push(request.url()));
  page.on('pageerror', (error) => seen.faults.push(String(error.stack)));
  page.on('console', (message) => {
    // What a server answers, and that it is away, is not the page's fault.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      seen.faults.push(message.text());
    }
  });
  await page.goto(url);
  return Object.assign(page, {seen});
}

/// Closes the page; nothing may have gone wrong there.
export async function close(page) {
  assert.deepEqual(await page.evaluate(() => window.violations), [], 'content policy');
  assert.equal(await page.evaluate(() => window.harmed), undefined, 'a text was run');
  assert.deepEqual(page.seen.faults, []);
  const origin = new URL(page.url()).origin;
  assert.deepEqual(page.seen.urls.filter((each) => !each.startsWith(`${origin}/`)), [],
                   'asked another host');
  await page.context().close();
}

/// Closes a page of one file, which asks for nothing: nothing was asked for,
/// refused or run.
export async function closeFile(page) {
  assert.deepEqual(await page.evaluate(() => window.violations), [], 'content policy');
  assert.equal(await page.evaluate(() => window.harmed), undefined, 'a text was run');
  assert.deepEqual(page.seen.faults, []);
  const asked = page.seen.urls.filter((each) => !each.startsWith('data:'));
  assert.deepEqual(asked.filter((each) => !each.startsWith('file:')), []);
  assert.equal(new Set(asked.map((each) => each.split('#')[0])).size, 1, 'asked for another file');
  await page.context().close();
}

/// Presses Tab until what is called `name` has the focus.
export async function tabTo(page, name) {
  const passed = [];
  for (let i = 0; i < tabsMax; ++i) {
    await page.keyboard.press('Tab');
    const now = await page.evaluate(() => {
      const at = document.activeElement;
      return at.labels?.[0]?.textContent ?? at.textContent;
    });
    if (now.trim().startsWith(name)) {
      return;
    }
    passed.push(now.slice(0, 30));
  }
  assert.fail(`Tab does not lead to ${name}, but to ${passed.join(' | ')}`);
}

export const texts = (page, selector) => page.locator(selector).allTextContents();

/// Opens the file of a report; returns when its charts are drawn.
export async function openReport(browser, file, options = {}) {
  const page = await open(browser, pathToFileURL(file).href, options);
  await page.waitForFunction(() => document.documentElement.dataset.ready !== undefined
                                   && document.querySelectorAll('figure').length
                                      === document.querySelectorAll('figure svg[role="img"]').length);
  return page;
}

/// Opens all that can be opened; returns when it is there.
export const openAll = (page) => page.evaluate(async () => {
  const all = [...document.querySelectorAll('details')];
  const opened = all.map((each) => new Promise((done) => {
    each.addEventListener('toggle', done, {once: true});
  }));
  all.forEach((each) => {
    each.open = true;
  });
  await Promise.all(opened);
  // The data is inflated first.
  while (document.getElementById('data')?.textContent === '') {
    await new Promise(requestAnimationFrame);
  }
});

/// The cells of a table of a report's part: what is shown, and the numbers behind it.
export const cells = (page, title) => page.locator('section').filter({has: page.getByRole('heading', {name: title})})
    .locator('tbody tr').evaluateAll((rows) => rows.map((row) => [...row.children].map((each) => {
      const {value, low, high} = each.dataset;
      return value === undefined && low === undefined ? each.textContent
          : [each.textContent, ...[value, low, high].map((number) => (number === undefined ? null : Number(number)))];
    })));

/// What axe finds on a report with all of it open, and whether it is too wide.
export async function findingsOf(page) {
  await openAll(page);
  await page.evaluate(axe);
  const {violations} = await page.evaluate(() => window.axe.run());
  const found = violations.map(({id, nodes}) => `${id}: ${nodes.map((each) => each.html).join(' ')}`);
  return await page.evaluate(() => document.documentElement.scrollWidth > innerWidth) ? [...found, 'too wide'] : found;
}
