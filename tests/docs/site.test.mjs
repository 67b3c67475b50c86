// The site that scripts/docs builds, as a reader meets it in Chromium.
import assert from 'node:assert/strict';
import {createReadStream, existsSync, readdirSync, statSync} from 'node:fs';
import {createServer} from 'node:http';
import path from 'node:path';
import {after, before, test} from 'node:test';
import {close, launch, open} from '../page/browser.mjs';

const root = process.env.CONVENE_SITE;
const types = {'.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.png': 'image/png'};

let server;
let browser;
let at;

/// Serves files, like any server of static pages.
function answer({url}, response) {
  const file = path.join(root, decodeURIComponent(new URL(url, 'http://localhost').pathname), url.endsWith('/') ? 'index.html' : '');
  const found = file.startsWith(root) && existsSync(file) && statSync(file).isFile();
  response.writeHead(found ? 200 : 404, {'Content-Type': types[path.extname(file)] ?? 'application/octet-stream'});
  found ? createReadStream(file).pipe(response) : response.end();
}

before(async () => {
  server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  at = `http://127.0.0.1:${server.address().port}`;
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server.close();
});

const pages = readdirSync(root, {recursive: true}).filter((each) => each.endsWith('.html') && each !== '404.html').sort();

test('every link of every page leads to a page and a heading of the site', async () => {
  const page = await open(browser, `${at}/`);
  const dead = await page.evaluate(async (names) => {
    const read = async (name) => new DOMParser().parseFromString(await (await fetch(`/${name}`)).text(), 'text/html');
    const all = new Map(await Promise.all(names.map(async (name) => [`/${name}`, await read(name)])));
    const found = [];
    for (const [name, document] of all) {
      for (const link of document.querySelectorAll('a[href], img[src]')) {
        const {origin, pathname, hash} = new URL(link.getAttribute('href') ?? link.getAttribute('src'), location.origin + name);
        const target = all.get(pathname.replace(/\/$/, '/index.html'));
        if (origin !== location.origin) {
          continue;
        }
        if (!target ? !(await fetch(pathname)).ok : hash !== '' && !target.getElementById(decodeURIComponent(hash.slice(1)))) {
          found.push(`${name}: ${pathname}${hash}`);
        }
      }
    }
    return found;
  }, pages);
  assert.deepEqual(dead, []);
  assert.ok(pages.length > 90, `${pages.length} pages`);
  await close(page);
});

test('the search finds a page by its text and opens it', async () => {
  const page = await open(browser, `${at}/`);
  await page.locator('#local-search button').click();
  await page.locator('input[type=search]').fill('nothing listens there');
  const found = page.locator('.VPLocalSearchBox .result', {hasText: 'nothing listens there'}).first();
  await found.waitFor();
  await found.click();
  await page.waitForURL('**/troubleshooting.html#nothing-listens-there');
  await page.getByRole('heading', {level: 1, name: 'Troubleshooting'}).waitFor();
  await close(page);
});

test('the tutorial is read from the first page to the last by its links', async () => {
  const page = await open(browser, `${at}/`);
  await page.locator('.VPNavBarMenu').getByRole('link', {name: 'Tutorial'}).click();
  for (let i = 1; i <= 7; ++i) {
    await page.waitForURL(`**/tutorial/${i}-*.html`);
    await page.getByRole('heading', {level: 1, name: `${i}.`}).waitFor();
    const next = page.locator('.vp-doc p', {hasText: /^Next: /}).getByRole('link');
    i < 7 ? await next.click() : assert.equal(await next.count(), 0);
  }
  await close(page);
});

test('the reference has pages made from the program, the schema, the server and the headers', async () => {
  const page = await open(browser, `${at}/`);
  for (const [name, heading] of [['command-line', 'convene run'], ['scenario', 'mcp_server'], ['http', 'POST /v1/sessions'],
                                 ['cpp/runtime.runtime.hpp', 'session_handle'],
                                 ['cpp/bindings.c.convene.h', 'convene_open']]) {
    await page.goto(`${at}/generated/${name}.html`);
    await page.getByRole('heading', {name: heading, exact: false}).first().waitFor();
  }
  await close(page);
});

test('the switch between light and dark changes the page, which keeps it when it is opened again', async () => {
  const page = await open(browser, `${at}/`, {colorScheme: 'light'});
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await page.locator('.VPNavBarAppearance button').click();
  await page.waitForFunction((before) => getComputedStyle(document.body).backgroundColor !== before, light);
  await page.reload();
  assert.notEqual(await background(), light);
  await close(page);
});

test('on a phone pages are no wider than the screen, and the menu leads to all parts', async () => {
  const page = await open(browser, `${at}/`, {viewport: {width: 390, height: 740}});
  const wide = [];
  const ofOneKind = /^decisions\/|^generated\/cpp\/(?!runtime\.runtime)/;
  for (const name of pages.filter((each) => !ofOneKind.test(each))) {
    await page.goto(`${at}/${name}`, {waitUntil: 'domcontentloaded'});
    if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) {
      wide.push(name);
    }
  }
  assert.deepEqual(wide, []);
  await page.goto(`${at}/`);
  await page.locator('.VPNavBarHamburger').click();
  const menu = page.locator('.VPNavScreen').getByRole('link');
  assert.deepEqual((await menu.allTextContents()).map((each) => each.trim()), ['Tutorial', 'Guides', 'Reference', 'Conformance']);
  await close(page);
});
