// Goes through a recording of the shop in a process of its own, and tells what it was told.
import { readJournalFile } from '../../src/persistence/index.ts';
import { replay } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { PlainStore } from './plain-store.ts';
import { shop } from './recorded-clerk.ts';

const { entry, rows } = readJournalFile(process.argv[2] ?? '');
const store = new PlainStore();
store.rows.set(entry.runId, [...rows]);
store.entries.set(entry.runId, entry);
const { events } = await replay(shop(scriptedModel([])), entry.runId, { store });
process.stdout.write(events.map((event) => JSON.stringify(event)).join('\n'));
