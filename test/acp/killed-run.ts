/** A process whose coding agent works until the process is killed. */
import { setTimeout as wait } from 'node:timers/promises';
import { sqliteStore } from '../../src/persistence/index.ts';
import { acpAgent } from '../../src/acp/index.ts';

/** What such a process is told. */
interface Order {
  readonly file: string;
  readonly cwd: string;
  readonly args: readonly string[];
}

// Only its parent gives it orders.
const { file, cwd, args } = JSON.parse(process.argv[2] ?? '') as Order;
const coder = acpAgent({ name: 'coder', command: process.execPath, args, cwd });
void coder.run('Mend it.', {
  store: sqliteStore(file),
  runId: 'r',
  hooks: [
    {
      name: 'working',
      on: 'model.asked',
      handle: ({ step = 0 }) => {
        if (step > 0) process.stdout.write('working\n');
      },
    },
  ],
});
await wait(60_000);
