/**
 * Keeps docs/coverage.md true: which test holds which row. A test says so by the row's id in brackets: `[ENG-01]`.
 *
 *   tsx scripts/coverage.ts            fails when the page is not what the tests say
 *   tsx scripts/coverage.ts --update   writes anew where rows are tested, and whether
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { format } from 'oxfmt';

const root = resolve(import.meta.dirname, '..');
const page = join(root, 'docs/coverage.md');

const BRACKETS = /\[([A-Z][^[\]]*)\]/g;
const ID = /^(?:ENG|TENEX|KAIZEN|DODO|QITOS)-[QU]?\d+$/;

const ROW = /^\| *([A-Z]+-[QU]?\d+) *\|([^|]*)\|([^|]*)\|([^|]*)\|$/;

const testFiles = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(?:test|test-d)\.ts$/.test(name))
  .map((name) => name.replaceAll(sep, '/'))
  .toSorted();

/** The test files that name each row. */
const testedIn = new Map<string, Set<string>>();
for (const name of testFiles) {
  for (const [, inside = ''] of readFileSync(join(root, 'test', name), 'utf8').matchAll(BRACKETS)) {
    for (const named of inside.split(',').map((each) => each.trim())) {
      if (ID.test(named)) testedIn.set(named, (testedIn.get(named) ?? new Set()).add(name));
    }
  }
}

/** A row that no test names. */
const UNTESTED = 'open';
const problems: string[] = [];
const seen = new Set<string>();
const count = { done: 0, open: 0, later: 0, left: 0 };
let isTable = false;

const lineOf = (line: string): string => {
  if (line.startsWith('| id ')) isTable = true;
  else if (!line.startsWith('|')) isTable = false;
  const [, id, what = '', , said = ''] = (isTable ? ROW.exec(line) : null) ?? [];
  if (id === undefined) return line;
  if (seen.has(id)) problems.push(`${id} stands there twice`);
  seen.add(id);
  const names = [...(testedIn.get(id) ?? [])];
  const decided = /^(later|left)/.exec(said.trim())?.[1] as 'later' | 'left' | undefined;
  const isHeld = names.length > 0;
  count[decided ?? (isHeld ? 'done' : 'open')] += 1;
  const status =
    decided !== undefined ? said.trim() : said.trim().replace(/^(?:done|open)/, isHeld ? 'done' : UNTESTED);
  return `| ${id} | ${what.trim()} | ${names.map((name) => name.replace(/(?:\.test)?(?:\.test-d)?\.ts$/, '')).join(', ')} | ${status} |`;
};

const text = readFileSync(page, 'utf8');
const lines = text.split('\n').map(lineOf);
const ahead = [...testedIn.keys()].filter((id) => !seen.has(id));
for (const id of ahead) problems.push(`${id} is named by a test and not on the page`);

const { code: wanted } = await format(page, lines.join('\n'));
if (process.argv.includes('--update')) writeFileSync(page, wanted);
else if (text !== wanted)
  problems.push('it is not what the tests say: run `npx tsx scripts/coverage.ts --update`');

for (const problem of problems) console.error(`docs/coverage.md: ${problem}`);
console.log(
  `${seen.size} rows: ${count.done} done, ${count.open} open, ${count.later} later, ${count.left} left out`,
);
if (problems.length > 0) process.exitCode = 1;
