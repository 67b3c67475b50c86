// The site of docs/. README.md lists the pages of each part; scripts/docs adds generated ones.
import {readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {defineConfig} from 'vitepress';

const read = (page) => readFileSync(new URL(`../${page}`, import.meta.url), 'utf8');

const generated = {
  Reference: [{text: 'Command line', link: '/generated/command-line'},
              {text: 'Scenario: every member', link: '/generated/scenario'},
              {text: 'HTTP: every endpoint', link: '/generated/http'},
              {text: 'C++ and C: every header', collapsed: true,
               items: readdirSync(new URL('../generated/cpp', import.meta.url)).sort().map((file) => (
                 {text: file.replace(/\.md$/, ''), link: `/generated/cpp/${file.replace(/\.md$/, '')}`}))}],
  Conformance: [{text: 'Coverage of MPLP', link: '/generated/coverage'},
                {text: 'Obligations of MPLP', link: '/generated/obligations'}],
};

/// The parts of the index: "## Part", in it "### Group" and "- [Title](page.md)".
function parts(index) {
  const all = [];
  for (const line of index.split('\n')) {
    const heading = /^(##|###) (.*)/.exec(line);
    const entry = /^(?:-|\d\.) \[([^\]]*)\]\(([^)]*)\.md\)/.exec(line);
    if (heading?.[1] === '##') {
      all.push({text: heading[2], collapsed: heading[2] === 'Conformance', items: [...generated[heading[2]] ?? []]});
    } else if (heading) {
      all.at(-1).items.push({text: heading[2], collapsed: true, items: []});
    } else if (entry) {
      const {items} = all.at(-1);
      (items.at(-1)?.items ?? items).push({text: entry[1], link: `/${entry[2]}`});
    }
  }
  return all;
}

/// As GitHub makes it, so that a link to a heading works in both places.
const slugify = (heading) => heading.toLowerCase().replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '').replaceAll(' ', '-');

/// Whether the site has no such page: .ci/check_links.py checks that the file exists.
function leadsOut(href, page) {
  const file = href.replace(/#.*/, '');
  return file !== '' && !/^[a-z]+:/.test(file)
         && (!file.endsWith('.md') || path.posix.join(path.posix.dirname(page), file).startsWith('..'));
}

/// Links to files of the source tree become their text.
function unlink(tokens, page) {
  let out = false;
  return tokens.filter((token) => {
    if (token.type === 'link_open') {
      out = leadsOut(token.attrGet('href'), page);
    }
    return !out || (token.type !== 'link_open' && token.type !== 'link_close');
  });
}

function adapt(md) {
  md.core.ruler.push('convene', ({tokens, env}) => {
    for (const token of tokens) {
      if (token.type === 'inline') {
        token.children = unlink(token.children, env.relativePath);
      } else if (token.type === 'code_block') { // indented
        Object.assign(token, {type: 'fence', tag: 'code', info: /^\$ /m.test(token.content) ? 'console' : 'text'});
      }
    }
  });
}

const sidebar = parts(read('index.md'));
sidebar.find(({text}) => text === 'Reference').items.push({
  text: 'Decisions',
  collapsed: true,
  items: readdirSync(new URL('../decisions', import.meta.url)).sort().map((file) => (
    {text: /^# (.*)/.exec(read(`decisions/${file}`))[1], link: `/decisions/${file.replace(/\.md$/, '')}`})),
});
const first = ({items, link}) => link ?? first(items[0]);

export default defineConfig({
  title: 'convene',
  description: 'A runtime for sessions of several agents, people and programs',
  head: [['link', {rel: 'icon', href: 'data:,'}]], // none to ask for
  markdown: {html: false, anchor: {slugify}, config: adapt},
  themeConfig: {
    search: {provider: 'local'},
    outline: [2, 3],
    nav: sidebar.map((part) => ({text: part.text, link: first(part)})),
    sidebar,
  },
});
