import type { ContentOptions } from '../../contracts/content/content-options.ts';
import type { OptionsOwner } from '../../contracts/errors/check-options.ts';
import { optionProblems, optionsCheck } from '../../contracts/errors/check-options.ts';
import { errorData, toError } from '../../contracts/errors/error.ts';
import { anApprover } from '../../contracts/people/check-answer.ts';
import type { MessageLimits } from '../../contracts/messages/message.ts';
import type { RequestOptions } from '../../contracts/people/request.ts';
import type { LaterLimits, RunLimits, RunOptions } from '../../contracts/runs/run-options.ts';
import type { OptionShape } from '../../base/schemas/option-schemas.ts';
import {
  aBound,
  aBoolean,
  aFunction,
  anything,
  aSecret,
  aText,
  byName,
  formOr,
  listOf,
  objectLike,
  objectWith,
  optional,
  optionsSchema,
  shapeOf,
  wholeNumber,
  fulfilling,
  isObject,
} from '../../base/schemas/option-schemas.ts';
import { budgetSchema } from '../../policy/budget-schema.ts';
import { hooksSchema, modelSchema, subtreeShape, treeLimit } from '../define/common-schemas.ts';

const limitsShape = (): OptionShape<RunLimits> => ({
  ...subtreeShape(),
  maxAgents: treeLimit(),
  budget: optional(budgetSchema()),
  concurrency: optional(aBound(1)),
  messages: optional(
    optionsSchema<MessageLimits>({ maxHops: optional(aBound(0)), maxExchanges: optional(aBound(0)) }),
  ),
});

const contentShape = (): OptionShape<ContentOptions> => ({
  blobs: optional(objectWith(['put', 'get'], 'not a blob store: write an object with put() and get()')),
  convert: optional(byName(aFunction())),
  maxBytes: optional(wholeNumber(1)),
  maxPixels: optional(wholeNumber(1)),
  mediaTypes: optional(listOf(aText(1))),
});

/** Checks who a person is, if they are anybody in particular. */
const isSomebody = (given: object): boolean =>
  optionProblems(anApprover(), Reflect.get(given, 'by')).length === 0;

/** The schema of a journal store. */
export const storeSchema = () =>
  objectWith(
    ['acquire', 'files'],
    "not a journal store: write one of troupe/stores, such as sqliteStore('./runs.db')",
  );

const requestShape = (): OptionShape<RequestOptions> => ({ expireAfterMs: optional(wholeNumber(1)) });

/** Checks the options of a request to a person. @throws {TroupeError} `input.invalid` */
export const checkRequest = optionsCheck<RequestOptions>(
  { code: 'input.invalid', owner: 'a person', verb: 'ask' },
  requestShape,
);

/** The shape of a run's options. Turns and tasks are checked where they are read: what is wrong with them ends a run. */
export const runShape = (): OptionShape<RunOptions> => ({
  runId: optional(aText(1)),
  model: optional(modelSchema()),
  signal: optional(objectWith(['addEventListener'], 'not an AbortSignal')),
  hooks: optional(hooksSchema()),
  secrets: optional(byName(aSecret())),
  // A refusal would show what was given: it is checked where it is read.
  secretKey: anything(),
  log: optional(aFunction()),
  clock: optional(objectWith(['now', 'setTimeout', 'clearTimeout'], 'not a clock')),
  person: optional(
    fulfilling(
      (given) => isObject(given) && ('answer' in given || 'approve' in given) && isSomebody(given),
      'not a person: write an object with answer() or approve(), and `by: { name, roles }` where it matters who it is',
    ),
  ),
  requests: optional(optionsSchema<RequestOptions>(requestShape())),
  history: optional(listOf(anything(), "not a list of turns: write [{ role: 'user', text: '…' }]")),
  thread: optional(aText()),
  threads: optional(
    objectWith(['append', 'load'], 'not a storage of threads: write threads(…) of troupe/memory'),
  ),
  safety: optional(aFunction()),
  executor: optional(aFunction()),
  context: anything(),
  limits: optional(optionsSchema<RunLimits>(limitsShape())),
  task: anything(),
  content: optional(optionsSchema<ContentOptions>(contentShape())),
  prices: optional(objectWith(['cost'], 'not a price list: write an object with cost()')),
  store: optional(storeSchema()),
  resources: optional(listOf(objectLike({}, 'not a resource'))),
  inspect: optional(
    formOr(
      (given) => typeof given === 'function',
      anything(),
      objectLike({}, 'not an inspector: write recorder() of troupe/inspect, or a function'),
    ),
  ),
  paused: optional(aBoolean()),
});

/** The limits that a run may be given when it is resumed: the others are in its journal. */
export const laterLimitsSchema = () =>
  optionsSchema<LaterLimits>(shapeOf(limitsShape(), ['concurrency', 'messages']));

const A_RUN: OptionsOwner = { code: 'input.invalid', owner: 'a run', verb: 'run' };

const check = optionsCheck<RunOptions>(A_RUN, runShape);

/**
 * Checks the options of a run: unknown ones are refused, with the nearest name.
 *
 * @throws {TroupeError} `input.invalid`; `internal` for options that throw when they are read.
 */
export const checkRunOptions = (name: string, options: RunOptions): void => {
  try {
    check(options, `'${name}'`);
  } catch (thrown) {
    throw toError(errorData(thrown, 'internal', { message: 'Cannot start the run as it threw' }));
  }
};
