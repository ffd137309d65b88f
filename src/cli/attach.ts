/**
 * Shows every run of the process that loads it, on a page of its own, from the first one on: `troupe inspect -- COMMAND` has Node load
 * it first. A process without runs is left as it is.
 */
import * as z from 'zod';
import { messageOf } from '../contracts/errors/error.ts';
import type { PreparedInspector } from '../inspect/local/inspect.ts';
import { prepareInspector } from '../inspect/local/inspect.ts';
import { attachInspector } from '../runtime/inspection/ambient-inspector.ts';
import { ATTACHED } from './inspect-program.ts';

const wish = z
  .object({ port: z.number(), isControlled: z.boolean(), isShown: z.boolean(), isAwaited: z.boolean() })
  .parse(JSON.parse(process.env[ATTACHED] ?? 'null'));

const tell = (line: string): void => {
  process.stderr.write(`  ◉ ${line}\n`);
};

const begin = (): PreparedInspector => {
  const { port, isControlled: control, isShown: open, isAwaited: wait } = wish;
  // What it did can be looked at once it is done.
  const inspector = prepareInspector({ port, control, open, wait, keepsProcess: true });
  inspector
    .open()
    // Another process of the command may have the port.
    .catch(() => inspector.open(0))
    .then(
      ({ url }) => {
        tell(`Inspector of process ${process.pid}: ${url} (until Ctrl-C)`);
      },
      (thrown: unknown) => {
        tell(messageOf(thrown));
      },
    );
  return inspector;
};

let inspector: PreparedInspector | undefined;
attachInspector({ inspects: (run) => (inspector ??= begin()).inspects(run) });
