// Opens a page of `convene view`; see the script `view` beside this file.
import {readFileSync} from 'node:fs';
import {launch} from '../tests/page/browser.mjs';

const [page, said] = process.argv.slice(2);
const {bytes, events} = JSON.parse(readFileSync(said, 'utf8'));
const browser = await launch();
const tab = await browser.newPage({viewport: {width: 1280, height: 900}});
await tab.goto(`file://${page}`, {waitUntil: 'commit'});
await tab.waitForFunction(() => document.documentElement.dataset.shown !== undefined, null, {timeout: 120_000});
const shown = Number(await tab.evaluate(() => document.documentElement.dataset.shown));
await tab.waitForFunction(() => document.readyState === 'complete', null, {timeout: 120_000});
const loaded = await tab.evaluate(() => performance.timing.domComplete - performance.timing.navigationStart);

/// How long frames take while the timeline is moved, in milliseconds.
const frames = await tab.evaluate(async () => {
  const canvas = document.getElementById('canvas');
  const next = () => new Promise((done) => { requestAnimationFrame(done); });
  canvas.focus();
  const times = [];
  for (let i = 0; i < 40; ++i) {
    const key = i < 10 ? '+' : i < 30 ? 'ArrowRight' : '-';
    canvas.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
    const begun = performance.now();
    await next();
    await next();
    times.push(performance.now() - begun);
  }
  return times.sort((one, two) => one - two).map((each) => each / 2);
});
const begun = performance.now();
await tab.evaluate((event) => { location.hash = `#s=1&e=${event}`; }, Math.floor(events / 2));
await tab.locator('#event').waitFor();
const opened = performance.now() - begun;
console.log(`${events} events, ${(bytes / 1e6).toFixed(1)} MB; timeline shown after ${shown} ms, all read after ${loaded} ms; `
            + `a frame takes ${frames[20].toFixed(0)} ms (median), ${frames[39].toFixed(0)} ms at most; `
            + `an event opens in ${opened.toFixed(0)} ms`);
await browser.close();
if (bytes * 1e6 > 80e6 * Math.max(events, 1e6)) {
  console.error('more than 80 MB for a million events');
  process.exit(1);
}
