import type { OptionShape } from '../../base/schemas/option-schemas.ts';
import {
  aFunction,
  anything,
  aSecret,
  aText,
  aTime,
  formOr,
  fulfilling,
  isObject,
  objectWith,
  oneOf,
  oneOrMore,
  optional,
  optionsSchema,
  shapeWithout,
  wholeNumber,
} from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import { runShape } from '../run/run-schema.ts';
import type { QueuedMessage, ScheduleOptions, SchedulesOptions, WebhookInOptions, When } from './schedule.ts';

const NAME = /^[a-z\d][\w.-]{0,99}$/i;
/** No `.`: it separates the id from the time in what is signed. */
const MESSAGE_ID = /^[\w-]{1,128}$/;
/** The last time that a `Date` can have. */
const LAST_TIME = 8.64e15;

/** Checks whether a text can be the id of a message. */
export const isMessageId = (given: unknown): given is string =>
  typeof given === 'string' && MESSAGE_ID.test(given);

const isTime = (given: unknown): boolean => {
  const ms = given instanceof Date ? given.getTime() : given;
  return Number.isSafeInteger(ms) && Number(ms) >= 0 && Number(ms) <= LAST_TIME;
};

type Form<Key extends string> = Extract<When, { readonly [K in Key]: unknown }>;

const whenSchema = () =>
  formOr(
    (given) => isObject(given) && 'cron' in given,
    optionsSchema<Form<'cron'>>({ cron: aText(1), zone: optional(aText(1)) }),
    formOr(
      (given) => isObject(given) && 'everyMs' in given,
      optionsSchema<Form<'everyMs'>>({ everyMs: wholeNumber(1_000) }),
      formOr(
        (given) => isObject(given) && 'at' in given,
        optionsSchema<Form<'at'>>({ at: fulfilling(isTime, 'not a time: write a Date, or ms since 1970') }),
        optionsSchema<Form<'afterMs'>>({ afterMs: wholeNumber(0) }),
      ),
    ),
  );

/** Checks the options of a schedule. @throws {TroupeError} `schedule.invalid` */
export const checkSchedule = optionsCheck<ScheduleOptions<unknown>>(
  { code: 'schedule.invalid', owner: 'a schedule', verb: 'add' },
  () => ({
    name: fulfilling(
      (given) => typeof given === 'string' && NAME.test(given),
      'not a name: write letters, digits, -, _ and ., at most 100',
    ),
    agent: objectWith(['run', 'stream'], 'not an agent'),
    input: anything(),
    when: optional(whenSchema()),
    thread: optional(aText(1)),
    missed: optional(oneOf(['once', 'all', 'drop'])),
    overlap: optional(oneOf(['skip', 'queue'])),
    backlog: optional(wholeNumber(1)),
  }),
);

/** Checks the options of `schedules`. @throws {TroupeError} `schedule.invalid` */
export const checkSchedules = optionsCheck<SchedulesOptions>(
  { code: 'schedule.invalid', owner: 'schedules', verb: 'keep' },
  () => ({
    engine: optional(objectWith(['execute', 'stream'], 'not an engine')),
    run: optional(optionsSchema(runOptionsShape())),
    clock: optional(objectWith(['now', 'setTimeout', 'clearTimeout'], 'not a clock')),
    lookEveryMs: optional(aTime()),
    graceMs: optional(wholeNumber(0)),
    onReport: optional(aFunction()),
  }),
);

const runOptionsShape = (): OptionShape<NonNullable<SchedulesOptions['run']>> =>
  shapeWithout(runShape(), ['store', 'runId', 'thread', 'clock', 'history', 'task', 'inspect', 'paused']);

/** Checks a message. @throws {TroupeError} `schedule.invalid` */
export const checkMessage = optionsCheck<QueuedMessage>(
  { code: 'schedule.invalid', owner: 'a message', verb: 'send' },
  () => ({
    id: fulfilling(isMessageId, 'not an id: write letters, digits, - and _, at most 128'),
    message: anything(),
  }),
);

/** Checks the options of a webhook. @throws {TroupeError} `schedule.invalid` */
export const checkWebhook = optionsCheck<WebhookInOptions>(
  { code: 'schedule.invalid', owner: 'a webhook', verb: 'serve' },
  () => ({ keys: oneOrMore(aSecret()), maxBytes: optional(wholeNumber(1)) }),
);
