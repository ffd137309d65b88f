import { checkOptions } from '../../contracts/errors/check-options.ts';
import { onDemand } from '../../base/on-demand.ts';
import {
  aBoolean,
  aFunction,
  anything,
  aText,
  listOf,
  objectLike,
  objectWith,
  optional,
  optionsSchema,
} from '../../base/schemas/option-schemas.ts';
import type { RunOptions } from '../../contracts/runs/run-options.ts';
import { hooksSchema } from '../define/common-schemas.ts';

const anObject = (otherwise: string) => optional(objectLike({}, otherwise));

/** The schema of the options of a run. Stores, histories, limits, budgets and tasks are checked where they are read. */
const runSchema = onDemand(() =>
  optionsSchema<RunOptions>({
    runId: optional(aText(1)),
    model: anything(),
    signal: optional(objectWith(['addEventListener'], 'no AbortSignal')),
    hooks: optional(hooksSchema()),
    secrets: anything(),
    secretKey: anything(),
    log: optional(aFunction()),
    clock: optional(objectWith(['now', 'setTimeout', 'clearTimeout'], 'no clock')),
    person: anObject('no person: an object with answer() or approve()'),
    requests: anObject('no object'),
    concurrency: anything(),
    history: anything(),
    thread: optional(aText()),
    threads: anything(),
    safety: optional(aFunction()),
    executor: optional(aFunction()),
    context: anything(),
    budget: anything(),
    limits: anything(),
    task: anything(),
    messages: anything(),
    prices: anything(),
    store: anything(),
    resources: optional(listOf(objectLike({}, 'no resource'))),
    inspect: anything(),
    paused: optional(aBoolean()),
  }),
);

/**
 * Checks the options of a run: what it does not know is refused, with the nearest name.
 *
 * @throws {TroupeError} `input.invalid`
 */
export const checkRunOptions = (name: string, options: RunOptions): void => {
  checkOptions(runSchema(), options, { code: 'input.invalid', owner: `'${name}'`, verb: 'run' });
};
