// Memory across runs: facts learned in one run are recalled in the next, also by another process.
//
//   npx tsx examples/09-memory.ts
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agent, ofType } from 'troupe';
import { notesMemory } from 'troupe/memory';
import { modelAnswer, type Model } from 'troupe/models';
import { folderStore } from 'troupe/stores';

// This model answers only from what it is shown. Memories are shown as a turn.
const listener: Model = {
  provider: 'example',
  id: 'listener',
  isLanguageModel: false,
  answer: ({ messages }) => {
    const shown = [...messages].map(({ text }) => text).join('\n');
    const [, colour] = /favourite colour is (\w+)/.exec(shown) ?? [];
    return modelAnswer({ text: colour === undefined ? 'I do not know it.' : `It is ${colour}.` });
  },
};

const folder = await mkdtemp(join(tmpdir(), 'notes-'));
try {
  // Scope `agent` (the default): all runs of the agent share it. Also: `run`, `thread` and `shared`.
  const clerk = () =>
    agent({ name: 'clerk', model: listener, memory: notesMemory({ files: folderStore(folder) }) });

  const before = await clerk().run('What is my favourite colour?');
  console.log('before: ', before.output);

  await clerk().run('My favourite colour is green.');

  // A new definition over the same folder, as another process would have it.
  const handle = clerk().stream('Now tell me: what is my favourite colour?');
  handle.events$
    .pipe(ofType('memory.recalled'))
    .subscribe(({ records }) => console.log(`recalled ${records} notes`));
  const after = await handle.result;
  console.log('after:  ', after.output);

  // The notes are Markdown, one line each, which a person can read and edit.
  const [file = ''] = await readdir(folder);
  console.log(await readFile(join(folder, file), 'utf8'));

  assert.equal(before.output, 'I do not know it.');
  assert.equal(after.output, 'It is green.');
} finally {
  await rm(folder, { recursive: true });
}
