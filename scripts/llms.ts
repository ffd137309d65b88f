/**
 * Writes what agents read: `llms.txt`, a list of the pages with what each is about, and `llms-full.txt`, all of them in one text (the latter
 * into the site only).
 *
 *   tsx scripts/llms.ts            fails when docs/llms.txt is not what the pages say
 *   tsx scripts/llms.ts --update   writes it anew
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = resolve(import.meta.dirname, '..');
const file = join(root, 'docs/llms.txt');

const read = (page: string): string => readFileSync(join(root, page), 'utf8');

/** A page's title, and its first sentence. */
const headOf = (text: string): { readonly title: string; readonly about: string } => {
  const title = /^# (.*)$/m.exec(text)?.[1] ?? '';
  const prose = text.replace(/^# .*$/m, '').replaceAll(/```[\s\S]*?```|<!--[\s\S]*?-->/g, '');
  const first = prose.split(/\n\s*\n/).find((part) => /^[A-Z`*[]/.test(part.trim())) ?? '';
  const plain = first
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return { title, about: /^.*?\.(?=\s|$)/.exec(plain)?.[0] ?? plain };
};

/** The pages that a page links to, in order, each once. */
const linkedFrom = (page: string): readonly string[] => [
  ...new Set(
    Array.from(read(page).matchAll(/\]\(([^()\s#:]+\.md)\)/g), ([, target = '']) =>
      posix.join(posix.dirname(page), target),
    ),
  ),
];

/** The pages in the order of the guide. */
export const pagesInOrder = (): readonly string[] => {
  const index = 'docs/guide/index.md';
  const ordered = linkedFrom(index).flatMap((page) =>
    page.endsWith('/index.md')
      ? [page, ...linkedFrom(page).filter((each) => each.startsWith(posix.dirname(page)))]
      : [page],
  );
  return [...new Set([index, ...ordered])].filter(
    (page) => page.startsWith('docs/') && !page.includes('/api/'),
  );
};

/** `llms.txt`, as https://llmstxt.org has it; links are relative to `docs`. */
export const llmsText = (): string => {
  const line = (page: string): string => {
    const { title, about } = headOf(read(page));
    return `- [${title}](${posix.relative('docs', page)})${about === '' ? '' : `: ${about}`}`;
  };
  const pages = pagesInOrder();
  const isTeam = (page: string): boolean => page.startsWith('docs/guide/teams/');
  const isMigration = (page: string): boolean => page.startsWith('docs/guide/migration/');
  const { about } = headOf(read('README.md'));
  return [
    '# troupe',
    '',
    `> ${about}`,
    '',
    'Every program in these pages is compiled and run by the tests; a line `// => text` is what it prints. Import names from the entry that the page shows;',
    'all public names are in docs/api of the package.',
    '',
    '## Guide',
    '',
    ...pages.filter((page) => !isTeam(page) && !isMigration(page)).map(line),
    '',
    '## Teams',
    '',
    ...pages.filter(isTeam).map(line),
    '',
    '## Optional',
    '',
    ...pages.filter(isMigration).map(line),
    '',
  ].join('\n');
};

/** All pages in one text. */
export const llmsFullText = (): string =>
  ['README.md', ...pagesInOrder()].map((page) => `<!-- ${page} -->\n\n${read(page).trim()}\n`).join('\n');

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const wanted = llmsText();
  if (process.argv.includes('--update')) writeFileSync(file, wanted);
  else if (read('docs/llms.txt') !== wanted) {
    console.error('docs/llms.txt is not what the pages say. Run `npx tsx scripts/llms.ts --update`.');
    process.exitCode = 1;
  }
}
