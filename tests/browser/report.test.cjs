'use strict';
// The report as its readers see it. Every page is checked for errors, requests and dialogs when it is closed.
const {after, before, test} = require('node:test');
const assert = require('node:assert/strict');
const {execFileSync} = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const {chromium} = require(process.env.PLAYWRIGHT);

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'jsdiv_browser_'));
const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync'];
let browser;

before(async () => {
  browser = await chromium.launchPersistentContext(path.join(folder, 'profile'),
    {executablePath: process.env.CHROMIUM, headless: true, args: flags, acceptDownloads: false});
});
after(async () => {
  await browser.close();
  fs.rmSync(folder, {recursive: true, force: true});
});

// ---- reports of the built command

const jsdiv = (...words) => execFileSync(process.env.JSDIV, words, {encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe']});
const write = (name, text) => {
  const file = path.join(folder, name);
  fs.writeFileSync(file, text);
  return file;
};
const made = new Map();
function once(name, make) {
  if (!made.has(name)) made.set(name, make());
  return made.get(name);
}
const random = (seed) => () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;

const demo = () => once('demo', () => {
  const pair = path.join(folder, 'demo');
  jsdiv('simulate', 'demo', '--seed', '1', '--n', '300', '--out', pair);
  const page = path.join(folder, 'demo.html');
  jsdiv('estimate', path.join(pair, 'p.csv'), path.join(pair, 'q.csv'), '--families', 'gaussian,logreg,pairs', '--html', page, '--quiet');
  return page;
});

const cell = (text) => '"' + text.replaceAll('"', '""') + '"';
const hostileNames = ['<script>alert(1)</script>', '"quoted\' & <b>bold</b>', '</script><img src=x onerror=alert(2)>',
  '\u202Edrawkcab \u200Fmarks', '<!--', '{{x}} ${y} \\u003c', 'n'.repeat(10000), 'constructor', '__proto__'];
const hostileLevels = ['</script><script>alert(3)</script>', '<svg onload=alert(4)>', '\u202Elevel', 'l'.repeat(10000)];

/// Names and levels that would break a page that trusted them; one number column with a format of its own in Q.
const hostile = () => once('hostile', () => {
  const next = random(7);
  const table = (shift) => {
    const lines = [[...hostileNames, 'number'].map(cell).join(',')];
    for (let i = 0; i < 120; ++i) {
      const levels = hostileNames.map((_, j) => cell(hostileLevels[Math.floor(next() * (hostileLevels.length - (j + i) % 2))]));
      lines.push([...levels, shift === 0 ? (next() * 100).toFixed(1) : (next() * 100 + shift).toFixed(6)].join(','));
    }
    return lines.join('\n') + '\n';
  };
  const files = [write('</script>&p.csv'.replace('/', '_'), table(0)), write('q.csv', table(20))];
  const page = path.join(folder, 'hostile.html');
  jsdiv('estimate', ...files, '--families', 'gaussian,pairs', '--html', page, '--quiet');
  return page;
});

const wide = () => once('wide', () => {
  const next = random(3);
  const columns = 2000, rows = 40;
  const table = (shift) => Array.from({length: columns}, (_, j) => 'column_' + j).join(',') + '\n' + Array.from({length: rows}, () =>
    Array.from({length: columns}, (_, j) => (next() + (j % 50 === 0 ? shift : 0)).toFixed(3)).join(',')).join('\n') + '\n';
  const posteriors = 'posterior\n' + Array.from({length: 2 * rows}, (_, i) => (i < rows ? 0.4 + 0.5 * next() : 0.1 + 0.5 * next()).toFixed(4)).join('\n') + '\n';
  const page = path.join(folder, 'wide.html');
  jsdiv('estimate', write('wide_p.csv', table(0)), write('wide_q.csv', table(1)), '--posteriors', write('posteriors.csv', posteriors), '--html', page, '--quiet');
  return page;
});

/// A year of time stamps, in Q only those of office hours.
const dates = () => once('dates', () => {
  const next = random(11);
  const two = (number) => String(number).padStart(2, '0');
  const table = (from, hours) => 'at,x\n' + Array.from({length: 300}, () =>
    `2023-${two(1 + Math.floor(12 * next()))}-${two(1 + Math.floor(28 * next()))} ${two(from + Math.floor(hours * next()))}:${two(Math.floor(60 * next()))}:00,${next()}`).join('\n') + '\n';
  const page = path.join(folder, 'dates.html');
  jsdiv('estimate', write('dates_p.csv', table(0, 24)), write('dates_q.csv', table(9, 8)), '--families', 'logreg,rf', '--html', page, '--quiet');
  return page;
});

const paper = () => once('paper', () => {
  const pair = path.join(folder, 'pair');
  jsdiv('simulate', 'dependence', '--n', '300', '--out', pair);
  const page = path.join(folder, 'paper.html');
  jsdiv('estimate', path.join(pair, 'p.csv'), path.join(pair, 'q.csv'), '--protocol', 'paper', '--families', 'gaussian,logreg', '--iterations', '0',
    '--seeds', '2', '--html', page, '--quiet');
  return page;
});

/// Two tables whose columns depend on each other in different ways, explained; and a comparison of three.
const pair = () => once('tables of explain', () => {
  const folderOfPair = path.join(folder, 'explained');
  jsdiv('simulate', 'demo', '--seed', '2', '--n', '400', '--out', folderOfPair);
  return ['p.csv', 'q.csv'].map((name) => path.join(folderOfPair, name));
});
const explained = () => once('explain', () => {
  const page = path.join(folder, 'explain.html');
  jsdiv('explain', ...pair(), '--families', 'gaussian,pairs', '--by', 'region', '--html', page, '--quiet');
  return page;
});
const compared = (...options) => once('compare' + options, () => {
  const [p, q] = pair();
  const half = write('half.csv', fs.readFileSync(p, 'utf8').split('\n').slice(0, 200).join('\n') + '\n');
  const page = path.join(folder, `compare${options}.html`);
  jsdiv('compare', p, q, half, '--families', 'gaussian,logreg', '--html', page, '--quiet', ...options);
  return page;
});

// ---- what every page must hold to

async function open(file, {width = 1100, colorScheme = 'light'} = {}) {
  const page = await browser.newPage();
  await page.setViewportSize({width, height: 850});
  await page.emulateMedia({colorScheme});
  const faults = [];
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) faults.push('console: ' + message.text()); });
  page.on('pageerror', (error) => faults.push('error: ' + error.message));
  page.on('dialog', (dialog) => { faults.push('dialog: ' + dialog.message()); dialog.dismiss(); });
  page.on('request', (request) => { if (request.url() !== address) faults.push('request: ' + request.url()); });
  const address = 'file://' + file.split('/').map(encodeURIComponent).join('/');
  const start = Date.now();
  await page.goto(address);
  await page.waitForSelector('html[data-ready]', {timeout: 10000, state: 'attached'});
  page.took = Date.now() - start;
  page.finish = async () => {
    const shown = await page.evaluate(() => document.body.innerText);
    const broken = shown.match(/.{0,30}(\[object|undefined|NaN).{0,30}/);
    if (broken) faults.push('text: ' + broken[0]);
    assert.deepEqual(faults, []);
    await page.close();
  };
  return page;
}

/// Charts whose drawing is missing, empty or cut off.
const badCharts = async (page) => {
  // Charts are drawn once their width is known, after the next layout.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return page.evaluate(() => [...document.querySelectorAll('.chart')].flatMap((chart) => {
    const picture = chart.querySelector('svg');
    const label = chart.getAttribute('aria-label');
    if (!picture) return [label + ': no drawing'];
    if (picture.querySelectorAll('.mark').length === 0) return [label + ': no marks'];
    if (/NaN|Infinity|undefined/.test(picture.outerHTML)) return [label + ': a number is missing'];
    const box = picture.getBoundingClientRect();
    return box.width > 100 && box.height > 40 ? [] : [label + ': no size'];
  }));
};
const noSideways = (page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);

test('every section has its chart, and a table behind it', async () => {
  const page = await open(demo());
  const sections = await page.$$eval('main section', (all) => all.map((one) => one.id));
  assert.deepEqual(sections, ['overview', 'families', 'posteriors', 'learning', 'columns', 'divergences', 'protocol']);
  assert.deepEqual(await badCharts(page), []);
  assert.equal(await page.locator('.chart').count(), 5);
  assert.equal(await page.locator('figure details').count(), 5);
  for (const details of await page.locator('figure details').all()) {
    await details.locator('summary').click();
    assert.ok(await details.locator('tbody tr').count() > 0);
  }
  assert.match(await page.textContent('#overview .legend'), /interval .*real against real 0.*lower bound/);
  const number = await page.textContent('.number');
  assert.match(number, /^0\.\d{3,4}$/);
  assert.ok((await page.textContent('#protocol pre')).startsWith('jsdiv estimate '));
  await page.finish();
});

test('values on hover', async () => {
  const page = await open(demo());
  const mark = page.locator('#posteriors .mark').nth(20);
  await mark.scrollIntoViewIfNeeded();
  await mark.hover();
  assert.ok(await page.locator('.tip.shown').isVisible());
  assert.match(await page.textContent('.tip'), /P: [\d.]+ % of its rows\nQ: [\d.]+ % of its rows/);
  const tip = await page.locator('.tip').boundingBox();
  assert.ok(tip.x >= 0 && tip.x + tip.width <= 1100);
  await page.mouse.move(5, 5);
  assert.equal(await page.locator('.tip.shown').count(), 0);
  await page.finish();
});

test('the keyboard reaches everything', async () => {
  const page = await open(demo());
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.className), 'skip');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => location.hash), '#main');
  await page.locator('#families .chart').focus();
  await page.keyboard.press('ArrowRight');
  const first = await page.textContent('.tip');
  await page.keyboard.press('ArrowDown');
  assert.notEqual(await page.textContent('.tip'), first);
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('.tip.shown').count(), 0);
  const button = page.locator('#columns button.open').first();
  await button.focus();
  await page.keyboard.press('Enter');
  assert.equal(await button.getAttribute('aria-expanded'), 'true');
  await page.locator('#columns .chart svg').waitFor({timeout: 5000});
  assert.equal(await page.locator('#columns .chart').count(), 1);
  await page.keyboard.press('Space');
  assert.equal(await button.getAttribute('aria-expanded'), 'false');
  assert.equal(await page.locator('#columns .chart').count(), 0);
  await page.finish();
});

test('a screen reader finds names for what it meets', async () => {
  const page = await open(demo());
  const nameless = await page.evaluate(() => [...document.querySelectorAll('svg[role=img], nav, section, input, [role=group], [role=region], button')]
    .filter((element) => !(element.getAttribute('aria-label') || element.getAttribute('aria-labelledby') || element.textContent.trim())).map((element) => element.outerHTML.slice(0, 80)));
  assert.deepEqual(nameless, []);
  assert.equal(await page.evaluate(() => document.querySelectorAll('h1').length), 1);
  assert.equal(await page.getAttribute('html', 'lang'), 'en');
  const ids = await page.$$eval('[id]', (all) => all.map((one) => one.id));
  assert.equal(new Set(ids).size, ids.length);
  for (const link of await page.$$eval('nav a', (all) => all.map((one) => one.getAttribute('href')))) assert.ok(ids.includes(link.slice(1)), link);
  await page.finish();
});

test('columns show their distribution', async () => {
  const page = await open(demo());
  for (const button of await page.locator('#columns button.open').all()) await button.click();
  assert.deepEqual(await badCharts(page), []);
  assert.equal(await page.locator('#columns .chart').count(), 9);
  // Missing incomes stand apart from the highest ones.
  const income = page.locator('#columns tr', {has: page.locator('svg text', {hasText: 'missing'})}).first();
  const boxes = await income.locator('.mark').evaluateAll((marks) => marks.map((mark) => mark.getBoundingClientRect()).map(({left, right}) => [left, right]));
  const [last, missing] = boxes.slice(-2);
  assert.ok(missing[0] - last[1] > 0.5 * (last[1] - last[0]), String([last, missing]));
  await page.finish();
});

const luminance = (colour) => {
  const [r, g, b] = colour.match(/[\d.]+/g).map(Number).map((v) => v / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a, b) => (Math.max(luminance(a), luminance(b)) + 0.05) / (Math.min(luminance(a), luminance(b)) + 0.05);

test('the part of a date that differs is named', async () => {
  const page = await open(dates());
  const cells = await page.locator('#dates tbody tr').first().locator('td').allInnerTexts();
  assert.deepEqual(cells.slice(0, 2), ['at', 'hour']);
  assert.ok(Number(cells[2]) > 0.2 && Number(cells[2]) < 0.7, cells[2]);
  await page.finish();
});

test('light and dark can be read', async () => {
  const papers = [];
  for (const colorScheme of ['light', 'dark']) {
    const page = await open(demo(), {colorScheme});
    const colours = await page.evaluate(() => {
      const paper = getComputedStyle(document.body).backgroundColor;
      const seen = (selector) => getComputedStyle(document.querySelector(selector)).color;
      const filled = (selector) => getComputedStyle(document.querySelector(selector)).fill;
      return {paper, texts: [seen('body'), seen('.soft'), seen('.number'), seen('nav a'), filled('svg text'), filled('svg .tick')],
        marks: [filled('.p-fill'), filled('.e-fill')], warning: [seen('.warnings'), getComputedStyle(document.querySelector('.warnings')).backgroundColor]};
    });
    papers.push(luminance(colours.paper));
    for (const text of colours.texts) assert.ok(contrast(text, colours.paper) >= 4.5, `${colorScheme}: ${text} on ${colours.paper}`);
    for (const mark of colours.marks) assert.ok(contrast(mark, colours.paper) >= 3, `${colorScheme}: ${mark} on ${colours.paper}`);
    assert.ok(contrast(...colours.warning) >= 4.5);
    await page.finish();
  }
  assert.ok(papers[0] > 0.8 && papers[1] < 0.1);
});

test('a phone needs no scrolling sideways', async () => {
  for (const width of [320, 390]) {
    const page = await open(demo(), {width});
    assert.ok(await noSideways(page));
    assert.deepEqual(await badCharts(page), []);
    await page.locator('#columns button.open').first().click();
    assert.ok(await noSideways(page));
    await page.finish();
  }
});

test('it prints', async () => {
  const page = await open(demo(), {colorScheme: 'dark'});
  await page.emulateMedia({media: 'print'});
  assert.equal(await page.locator('nav').isVisible(), false);
  assert.ok(await page.evaluate(() => getComputedStyle(document.body).backgroundColor === 'rgb(255, 255, 255)'));
  const pdf = await page.pdf({format: 'A4'});
  assert.ok(pdf.length > 20000);
  await page.finish();
});

test('hostile names are text', async () => {
  for (const width of [390, 1100]) {
    const page = await open(hostile(), {width});
    assert.equal(await page.locator('main script, main img, main b b, svg[onload]').count(), 0);
    const text = await page.textContent('#columns');
    // What would turn the writing around is written out.
    const shown = (name) => name.slice(0, 150).replace('\u202E', '\\u202e').replace('\u200F', '\\u200f');
    for (const name of hostileNames) assert.ok(text.includes(shown(name)), name.slice(0, 40));
    assert.ok(!/[\u200F\u202E]/.test(await page.content()));
    assert.ok((await page.textContent('header')).includes('<_script>&p.csv'));
    for (const button of await page.locator('#columns button.open').all()) await button.click();
    assert.ok((await page.textContent('#columns')).includes('<svg onload=alert(4)>'));
    assert.deepEqual(await badCharts(page), []);
    const cutOff = await page.evaluate(() => [...document.querySelectorAll('#columns .chart')].flatMap((chart) => {
      const left = chart.getBoundingClientRect().left;
      return [...chart.querySelectorAll('text')].filter((text) => text.getBoundingClientRect().left < left - 1).map((text) => text.textContent);
    }));
    assert.deepEqual(cutOff, []);
    for (const mark of await page.locator('#columns .mark').all()) {
      await mark.hover({force: true, timeout: 2000});
      if (await page.locator('.tip.shown').count() > 0) break;
    }
    assert.ok(await noSideways(page));
    await page.finish();
  }
});

test('a table of 2,000 columns stays usable', async () => {
  assert.ok(fs.statSync(wide()).size < 400000, `${fs.statSync(wide()).size} bytes`);
  const page = await open(wide());
  assert.ok(page.took < 4000, `${page.took} ms`);
  assert.ok(await page.evaluate(() => document.querySelectorAll('*').length) < 4000);
  assert.match(await page.textContent('#columns .tools'), /40 of 2,000 columns/);
  const filter = page.locator('#columns input');
  await filter.fill('column_1950');
  assert.equal(await page.locator('#columns tbody tr').count(), 1);
  await page.locator('#columns button.open').click();
  assert.deepEqual(await badCharts(page), []);
  await filter.fill('');
  for (const rows of [200, 2000]) {
    await page.locator('#columns button.more').click();
    assert.equal(await page.locator('#columns tbody tr').count(), rows);
  }
  await page.finish();
});

test('the protocol of the paper has a page as well', async () => {
  const page = await open(paper());
  const sections = await page.$$eval('main section', (all) => all.map((one) => one.id));
  assert.deepEqual(sections, ['overview', 'families', 'posteriors', 'columns', 'protocol']);
  assert.deepEqual(await badCharts(page), []);
  await page.finish();
});

test('values of rows are shown if asked for, long ones in short', async () => {
  hostile();
  const page = path.join(folder, 'rows.html');
  jsdiv('explain', path.join(folder, '<_script>&p.csv'), path.join(folder, 'q.csv'), '--families', 'gaussian', '--show-rows', '--html', page, '--quiet');
  const shown = await open(page, {width: 390});
  const cells = await shown.locator('#rows tbody .name-cell').allInnerTexts();
  assert.equal(cells.length, 10);
  for (const cell of cells) assert.ok(cell.includes('constructor = ') && cell.length < 11 * 110, `${cell.length} characters`);
  assert.ok(await noSideways(shown));
  await shown.finish();
});

test('what chance explains is not claimed', async () => {
  const next = random(5);
  const table = () => 'a,b,c\n' + Array.from({length: 150}, () => `${next()},${next()},${next()}`).join('\n') + '\n';
  const file = path.join(folder, 'chance.html');
  jsdiv('explain', write('chance_p.csv', table()), write('chance_q.csv', table()), '--families', 'gaussian', '--html', file, '--quiet');
  const page = await open(file);
  assert.match(await page.textContent('#causes'), /Chance alone can explain this divergence/);
  assert.match(await page.textContent('#pairs'), /None differs by more than chance explains/);
  const strongest = await page.$$eval('#pairs svg .e-fill', (all) => Math.max(...all.map((one) => Number(one.getAttribute('fill-opacity') || 0))));
  assert.ok(strongest < 0.9, String(strongest));
  assert.equal(await page.locator('#margins').count(), 0);
  assert.ok(!/-0\.0+\b/.test(await page.evaluate(() => document.body.innerText)));
  // Rows have no names to filter by; what a row reveals is small but not nothing.
  assert.equal(await page.locator('#rows input').count(), 0);
  for (const bits of await page.locator('#rows tbody td:last-child').allInnerTexts()) assert.notEqual(Number(bits), 0);
  assert.equal(await page.locator('#rows code').first().innerText(), '--show-rows');
  await page.finish();
});

for (const [width, colorScheme] of [[1100, 'light'], [390, 'dark']]) {
  test(`an explanation, ${width} pixels wide, ${colorScheme}`, async () => {
    const page = await open(explained(), {width, colorScheme});
    const sections = await page.$$eval('main section', (all) => all.map((one) => one.id));
    assert.deepEqual(sections.slice(0, 7), ['overview', 'causes', 'margins', 'pairs', 'slices', 'by', 'rows']);
    assert.deepEqual(await badCharts(page), []);
    assert.ok(await noSideways(page));
    // On a phone, too, how a column differs is read without scrolling sideways.
    assert.ok(await page.$$eval('#causes .scroll, #pairs .scroll, #slices .scroll, #by .scroll, #rows .scroll', (all) => all.every((one) => one.scrollWidth <= one.clientWidth)));
    const unreachable = await page.$$eval('.scroll', (all) => all.filter((one) => one.tabIndex < 0 || one.getAttribute('role') !== 'region' || !one.getAttribute('aria-label')).length);
    assert.equal(unreachable, 0);
    await page.locator('#causes button.open').first().click();
    assert.match(await page.textContent('#causes .panel'), /Share [\d.]+ \(.* to .*\), alone .*, only here .*95 % intervals/);
    assert.match(await page.textContent('#margins'), /No column needs repair on its own|Repair these columns first|does not help/);
    assert.equal(await page.locator('#pairs tbody tr').count(), 10);
    await page.locator('#pairs button.open').first().click();
    assert.equal(await page.locator('#pairs .panel .chart').count(), 2);
    assert.deepEqual(await badCharts(page), []);
    assert.ok(await noSideways(page));
    assert.match(await page.textContent('#protocol pre'), /^jsdiv explain .*--by region/);
    assert.equal(await page.getByText('show-rows').count(), 1);
    await page.finish();
  });

  test(`comparisons, ${width} pixels wide, ${colorScheme}`, async () => {
    for (const options of [[], ['--over-time']]) {
      const page = await open(compared(...options), {width, colorScheme});
      assert.ok((await page.$$eval('main section', (all) => all.map((one) => one.id))).includes('differences'));
      assert.equal(await page.locator('.chart').count(), 1);
      assert.deepEqual(await badCharts(page), []);
      assert.ok(await noSideways(page));
      const command = await page.textContent('#protocol pre');
      if (options.length > 0) {
        assert.equal(await page.textContent('h1'), 'How far has the table drifted?');
        assert.match(await page.textContent('#ranking .says'), /1 of 2 tables differs from .*p\.csv by more than chance explains: (.*\/)?q\.csv\./);
        await page.locator('#ranking .mark').first().hover();
        assert.match(await page.textContent('.tip'), /^real against real: [\d.]+\ninterval /);
        assert.equal(await page.locator('#ranking .mark circle.hollow').count(), 1);
      }
      assert.match(command, options.length ? /^jsdiv compare .* --over-time$/ : /^jsdiv compare .*\.csv .*\.csv/);
      await page.finish();
    }
  });
}

test('without scripts there is the summary', async () => {
  const context = await (await chromium.launch({executablePath: process.env.CHROMIUM, args: flags})).newContext({javaScriptEnabled: false});
  const page = await context.newPage();
  await page.goto('file://' + demo());
  assert.match(await page.textContent('noscript'), /Jensen-Shannon divergence {2}0\.\d+/);
  await context.browser().close();
});
