// Debian's Chromium, and what a page must never do.
import assert from 'node:assert/strict';
import {chromium} from 'playwright-core';

const tabsMax = 80;

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
