import type { Clock } from '../../base/clock.ts';
import type * as z from 'zod/mini';
import { onDemand } from '../../base/on-demand.ts';
import type { OptionShape } from '../../base/schemas/option-schemas.ts';
import {
  aFunction,
  aText,
  aTime,
  aBoolean,
  byName,
  fulfilling,
  isObject,
  listOf,
  objectWith,
  oneForm,
  oneOf,
  optional,
  optionsSchema,
  together,
} from '../../base/schemas/option-schemas.ts';
import type {
  BuiltInGuard,
  BuiltInOptions,
  InjectionGuard,
  JudgeGuard,
  PiiGuard,
  SecretsGuard,
  TopicGuard,
} from './built-in/built-in-guards.ts';
import { personalKinds } from './built-in/personal-data.ts';
import { isBoundedPattern } from './built-in/topic.ts';
import type { Guard } from './guard.ts';
import { guardPlaces } from './guard.ts';

/** Options of guardrails. */
export interface GuardrailOptions {
  /** Measures the time of guards. Default: the system clock; pass the runs' own clock if they have one. */
  readonly clock?: Clock | undefined;
}

const PARALLEL = [
  'timing',
  'not of use without `input` among `on`: only an input is judged in parallel',
] as const;

const places = () =>
  fulfilling(
    (given) =>
      Array.isArray(given) &&
      given.length > 0 &&
      given.every((place) => guardPlaces.some((each) => each === place)),
    `not a list of places: ${guardPlaces.join(', ')}`,
  );

const builtInShape = (): OptionShape<BuiltInOptions> => ({
  name: optional(aText(1)),
  on: optional(places()),
  action: optional(oneOf(['block', 'redact', 'replace', 'ask'])),
  text: optional(aText()),
  timing: optional(oneOf(['before', 'parallel'])),
  timeoutMs: optional(aTime()),
});

const pattern = () =>
  fulfilling(
    (given) => given instanceof RegExp && isBoundedPattern(given),
    'not a pattern of bounded work: give repetitions bounds ({0,40} in place of * and +), repeat no group, and use no references and no assertions',
  );

const uses = ['pii', 'secrets', 'injection', 'topic', 'judge'] as const;
const use = () => oneOf(uses);

const fitting = <Built extends BuiltInOptions>(schema: z.ZodMiniType, on: readonly string[]): z.ZodMiniType =>
  together<Built>(schema, ({ timing, action, text, on: given = on }) => {
    if (timing === 'parallel' && !given.some((place) => place === 'input')) return PARALLEL;
    if (action === 'replace' && text === undefined && on !== TOOL_OUTPUT)
      return ['text', 'not a text, which `replace` needs'];
    return text !== undefined && action !== 'replace' && !(on === TOOL_OUTPUT && action === 'redact')
      ? ['text', "of use for `action: 'replace'` only"]
      : undefined;
  });

const EVERYWHERE: readonly string[] = guardPlaces;
const TOOL_OUTPUT: readonly string[] = ['tool.output'];

const builtIn: Readonly<Record<BuiltInGuard['use'], () => z.ZodMiniType>> = {
  pii: () =>
    fitting(
      optionsSchema<PiiGuard>({
        use: use(),
        ...builtInShape(),
        kinds: optional(
          fulfilling(
            (given) =>
              Array.isArray(given) &&
              given.length > 0 &&
              given.every((kind) => personalKinds.some((each) => each === kind)),
            `not a list of kinds: ${personalKinds.join(', ')}`,
          ),
        ),
      }),
      EVERYWHERE,
    ),
  secrets: () =>
    fitting(
      optionsSchema<SecretsGuard>({
        use: use(),
        ...builtInShape(),
        values: optional(
          byName(
            fulfilling(
              (value) => typeof value === 'string' && value.length >= 3,
              'not a text of 3 characters or more',
            ),
          ),
        ),
      }),
      EVERYWHERE,
    ),
  injection: () => fitting(optionsSchema<InjectionGuard>({ use: use(), ...builtInShape() }), TOOL_OUTPUT),
  topic: () =>
    together<TopicGuard>(
      fitting(
        optionsSchema<TopicGuard>({
          use: use(),
          ...builtInShape(),
          words: optional(
            listOf(
              fulfilling(
                (word) => typeof word === 'string' && word.replaceAll('*', '').trim() !== '',
                'not a word',
              ),
            ),
          ),
          patterns: optional(listOf(pattern())),
        }),
        ['input', 'output'],
      ),
      ({ words = [], patterns = [] }) =>
        words.length + patterns.length === 0
          ? ['words', 'not a list with a word, and there are no `patterns`']
          : undefined,
    ),
  judge: () =>
    fitting(
      optionsSchema<JudgeGuard>({
        use: use(),
        ...builtInShape(),
        model: fulfilling(
          (given) =>
            typeof given === 'string' ||
            (isObject(given) && 'answer' in given && typeof given.answer === 'function'),
          'not a model',
        ),
        criterion: aText(1),
      }),
      ['output'],
    ),
};

const ownGuard = () =>
  together<Guard>(
    optionsSchema<Guard>({
      name: aText(1),
      on: places(),
      check: aFunction(),
      timing: optional(oneOf(['before', 'parallel'])),
      timeoutMs: optional(aTime()),
      bySentence: optional(aBoolean()),
    }),
    ({ on, timing, bySentence }) => {
      if (timing === 'parallel' && !on.includes('input')) return PARALLEL;
      return bySentence === true && !on.includes('output')
        ? ['bySentence', 'of use without `output` among `on`']
        : undefined;
    },
  );

const isUse = (name: unknown): name is BuiltInGuard['use'] => uses.some((each) => each === name);

const guard = () =>
  oneForm((given) => {
    if (typeof given === 'string') return oneOf(['pii', 'secrets', 'injection']);
    if (!isObject(given) || !('use' in given)) return ownGuard();
    return isUse(given.use) ? builtIn[given.use]() : optionsSchema<{ use: string }>({ use: use() });
  });

/** The schema of guardrails and their options. */
export const guardrailsSchema = onDemand(() =>
  optionsSchema<{ guards: unknown } & GuardrailOptions>({
    guards: listOf(guard(), 'not a list: write guardrails([ … ])'),
    clock: optional(objectWith(['now', 'setTimeout', 'clearTimeout'], 'not a clock')),
  }),
);
