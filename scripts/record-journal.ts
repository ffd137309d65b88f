/**
 * Records the journal of this release: `npx tsx scripts/record-journal.ts`. Every release has one, for ever: what comes
 * later has to go through it again. One that is there is never written over.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportJournal, memoryStore } from '../src/persistence/index.ts';
import { virtualClock } from '../src/testing/index.ts';
import { shop } from '../test/support/recorded-clerk.ts';

const root = join(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const file = join(root, 'test', 'fixtures', 'journals', `${version}.journal`);

if (existsSync(file)) console.log(`${file} is there`);
else {
  const store = memoryStore();
  const runId = `release-${version}`;
  const { events } = await shop().run('tea and biscuits', { store, runId, clock: virtualClock() });
  await exportJournal(store, runId, file);
  const told = events.map((event) => JSON.stringify(event)).join('\n');
  writeFileSync(file.replace('.journal', '.events'), `${told}\n`);
  console.log(`${file} is written`);
}
