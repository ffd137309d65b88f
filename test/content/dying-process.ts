/** A process that kills itself at one of its operations on bytes: `write` makes a run, `prune` removes those that are over. */
import type { BlobStore } from '../../src/contracts/content/blob-store.ts';
import { answer } from '../../src/index.ts';
import { folderBlobs, sqliteStore } from '../../src/persistence/index.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { png } from './pictures.ts';

const [, , task, folder = '', at = '', when] = process.argv;
let done = 0;

const mortal = async <Value>(work: () => Value | Promise<Value>): Promise<Value> => {
  const isLast = (done += 1) === Number(at);
  if (isLast && when === 'before') process.kill(process.pid, 'SIGKILL');
  const value = await work();
  if (isLast) process.kill(process.pid, 'SIGKILL');
  return value;
};

const blobs = folderBlobs(`${folder}/blobs`);
const dying: BlobStore = {
  name: blobs.name,
  put: (name, bytes) => mortal(() => blobs.put(name, bytes)),
  get: (name) => mortal(() => blobs.get(name)),
  remove: (name) => mortal(() => blobs.remove?.(name)),
  names: (start) => mortal(async () => (await blobs.names?.(start)) ?? []),
};
const store = sqliteStore(`${folder}/runs.db`);
const content = { blobs: dying };

if (task === 'prune') await store.prune({}, content);
else
  await agent({ name: 'seer', decide: () => answer('Seen.') }).run(
    [0, 1].map((index) => ({ type: 'image', data: png(4, 4, index) })),
    { store, content, runId: 'new' },
  );
await store.close();
process.stdout.write('over');
