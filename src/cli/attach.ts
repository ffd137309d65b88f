/**
 * Shows every run of the process that loads it on the page of `troupe inspect -- COMMAND`, which has Node load it first, from the first run
 * on. A process without runs is left as it is.
 */
import * as z from 'zod';
import { messageOf } from '../contracts/errors/error.ts';
import type { InspectedRun } from '../contracts/events/inspection.ts';
import type { PreparedInspector } from '../inspect/local/inspect.ts';
import { prepareInspector } from '../inspect/local/inspect.ts';
import { attachInspector } from '../runtime/inspection/ambient-inspector.ts';
import { ATTACHED } from './attached-environment.ts';

const wish = z
  .object({ isControlled: z.boolean(), isAwaited: z.boolean() })
  .parse(JSON.parse(process.env[ATTACHED] ?? 'null'));

const begin = (): PreparedInspector => {
  const { isControlled: control, isAwaited: wait } = wish;
  const inspector = prepareInspector({ control, wait });
  inspector.open().catch((thrown: unknown) => {
    process.stderr.write(`  ◉ ${messageOf(thrown)}\n`);
  });
  return inspector;
};

/** A run that is held, or waits for an answer from the page, keeps nothing alive by itself. */
const keepProcess = ({ handle }: InspectedRun): void => {
  if (handle === undefined) return;
  const timer = setInterval(() => undefined, LONGEST_MS);
  const release = (): void => {
    clearInterval(timer);
  };
  handle.result.then(release, release);
};

/** The longest interval that there is. */
const LONGEST_MS = 2 ** 31 - 1;

let inspector: PreparedInspector | undefined;
attachInspector({
  inspects: (run) => {
    keepProcess(run);
    return (inspector ??= begin()).inspects(run);
  },
});
