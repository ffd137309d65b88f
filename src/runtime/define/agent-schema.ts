import type {
  AgentLimits,
  AgentOptions,
  ConversationOptions,
  FailureOptions,
  AgentMemory,
} from '../../contracts/agents/agent.ts';
import { strategySchema } from '../../actors/strategies/strategy-schema.ts';
import type { AdaptiveRetry } from '../../contracts/models/adaptive-retry.ts';
import type { LoopLimits, WrapUp } from '../../contracts/agents/ending.ts';
import type { RecallPolicy } from '../../contracts/conversations/memory.ts';
import { misnamedOptions } from '../../models/wire/others-options.ts';
import { memoryKinds } from '../../contracts/conversations/memory.ts';
import type { ModelRetry } from '../../contracts/models/model.ts';
import { onDemand } from '../../base/on-demand.ts';
import type { OptionSchema } from '../../base/schemas/option-schemas.ts';
import {
  aBound,
  aFraction,
  aFunction,
  anything,
  aNumber,
  aText,
  aTime,
  byName,
  formOr,
  fulfilling,
  isObject,
  listOf,
  objectLike,
  objectWith,
  oneForm,
  oneOf,
  oneOrMore,
  optional,
  optionsSchema,
  shortOr,
  together,
  wholeNumber,
} from '../../base/schemas/option-schemas.ts';
import type { CompactionOptions, TokenBudget } from '../../contracts/conversations/processor.ts';
import type { RecoveryPolicy } from '../../contracts/agents/recovery.ts';
import type { StopOptions } from '../../contracts/agents/ending.ts';
import { defaultLoopLimits } from '../../machines/stopping/loop-detection.ts';
import { compactionPresets } from '../../memory/processors/compaction-presets.ts';
import { budgetSchema } from '../../policy/budget-schema.ts';
import { agentMailboxSchema, hooksSchema, modelSchema, subtreeShape } from './common-schemas.ts';
import { DEFAULT_WRAP_UP } from './ending-rules.ts';
import { settingsSchema } from './settings-schema.ts';
import { memberPolicySchema } from './supervision-schema.ts';

const list = (item: OptionSchema, option: string): OptionSchema =>
  listOf(item, `not a list: write \`${option}: [ … ]\``);

const isText = (given: unknown): boolean => typeof given === 'string';

const isEmptyList = (given: unknown): boolean => Array.isArray(given) && given.length === 0;

const someModel = (): OptionSchema =>
  fulfilling(
    () => false,
    "a list without a model: write 'provider:model', or leave `model` out for the default model",
  );

const isBoolean = (given: unknown): boolean => typeof given === 'boolean';

const criticSchema = onDemand(() =>
  together<{ readonly each?: string; readonly every?: number }>(
    objectLike(
      {
        name: aText(1),
        critique: aFunction(),
        timeoutMs: optional(aTime()),
        each: optional(oneOf(['answer', 'step'])),
        every: optional(wholeNumber(1)),
        ifBroken: optional(oneOf(['accept', 'stop'])),
      },
      'not a critic: write an object with a name and critique()',
    ),
    ({ each, every }) =>
      every !== undefined && each !== 'step' ? ['every', "of no use without `each: 'step'`"] : undefined,
  ),
);

const memorySchema = onDemand(() => {
  const source = objectLike(
    { name: aText(), open: aFunction(), release: aFunction() },
    'not a memory: write one of troupe/memory',
  );
  const sources = oneOrMore(source);
  const recall = optionsSchema<RecallPolicy>({
    each: optional(oneOf(['run', 'step'])),
    k: optional(wholeNumber(0)),
    kinds: optional(listOf(oneOf(memoryKinds))),
    query: optional(aFunction()),
    timeoutMs: optional(wholeNumber(1)),
  });
  const writtenOut = optionsSchema<AgentMemory>({ sources, recall: optional(recall) });
  return formOr(
    (given) => !isObject(given) || Array.isArray(given) || 'open' in given || 'release' in given,
    sources,
    writtenOut,
  );
});

const compactionSchema = onDemand(() => {
  const tokens = (least: number): OptionSchema => optional(aNumber(least));
  const budget = together<Partial<TokenBudget>>(
    optionsSchema<TokenBudget>({ soft: tokens(1), hard: tokens(1), reserve: tokens(0) }),
    ({ soft = 0, hard = Infinity, reserve = 0 }) => {
      if (soft > hard) return ['soft', `within the hard limit, ${hard}`];
      return reserve >= hard ? ['reserve', `below the hard limit, ${hard}`] : undefined;
    },
  );
  const writtenOut = optionsSchema<CompactionOptions>({
    processors: optional(list(objectWith(['project'], 'not a processor'), 'processors')),
    budget: optional(budget),
    counter: optional(objectWith(['count'], 'not a counter: write an object with count()')),
    summariser: optional(
      shortOr(
        (given) => given === false,
        objectWith(['summarise'], 'not a summariser: write an object with summarise()'),
      ),
    ),
    thread: optional(oneOf(['cycles', 'answers'])),
  });
  const preset = oneOf(Object.keys(compactionPresets));
  return oneForm((given) => {
    if (given === false) return anything();
    return typeof given === 'string' ? preset : writtenOut;
  });
});

const conversationSchema = onDemand(() =>
  optionsSchema<ConversationOptions>({
    prompt: optional(aFunction()),
    fragments: optional(list(objectLike({ name: aText() }, 'not a fragment'), 'fragments')),
    compaction: optional(compactionSchema()),
    maxTextBytes: optional(wholeNumber(1)),
  }),
);

const stopSchema = onDemand(() => {
  const rule = objectWith(['check'], 'not a stop rule: write one such as maxSteps(5)');
  const rules = oneOrMore(rule);
  const phase = fulfilling(
    (given) => typeof given === 'string' && given.trim() !== '',
    'not a name of a phase',
  );
  const writtenOut = optionsSchema<StopOptions>({
    rules: optional(rules),
    shouldStop: optional(aFunction()),
    ends: optional(objectWith(['answered'], 'not a policy of ending: write one such as byTool()')),
    workPhases: optional(byName(phase)),
  });
  return formOr((given) => !isObject(given) || Array.isArray(given) || 'check' in given, rules, writtenOut);
});

const limitsSchema = onDemand(() => {
  const loops = together<Partial<LoopLimits>>(
    optionsSchema<LoopLimits>({
      warnAt: optional(wholeNumber(2)),
      stopAt: optional(wholeNumber(2)),
      ignore: optional(listOf(aText())),
    }),
    ({ warnAt = defaultLoopLimits.warnAt, stopAt }) => {
      if ((stopAt ?? defaultLoopLimits.stopAt) >= warnAt) return undefined;
      return stopAt === undefined
        ? ['warnAt', `past stopAt, ${defaultLoopLimits.stopAt} by default`]
        : ['stopAt', `not a whole number from ${warnAt}`];
    },
  );
  const wrapUp = together<Partial<WrapUp>>(
    optionsSchema<WrapUp>({
      warnAt: optional(aFraction()),
      wrapUpAt: optional(aFraction()),
      graceSteps: optional(wholeNumber(0)),
    }),
    ({ warnAt = DEFAULT_WRAP_UP.warnAt, wrapUpAt }) => {
      if ((wrapUpAt ?? DEFAULT_WRAP_UP.wrapUpAt) >= warnAt) return undefined;
      return wrapUpAt === undefined
        ? ['warnAt', `past wrapUpAt, ${DEFAULT_WRAP_UP.wrapUpAt} by default`]
        : ['wrapUpAt', `not a fraction from ${warnAt}`];
    },
  );
  return optionsSchema<AgentLimits>({
    ...subtreeShape(),
    budget: optional(budgetSchema()),
    loops: optional(shortOr((given) => given === false, loops)),
    wrapUp: optional(shortOr(isBoolean, wrapUp)),
    maxRejections: optional(wholeNumber(0)),
    toolConcurrency: optional(wholeNumber(1)),
  });
});

const failuresSchema = onDemand(() => {
  const adaptive = optionsSchema<AdaptiveRetry>({
    rateLimitWaitMs: optional(aNumber(0)),
    invalidWaitMs: optional(aNumber(0)),
    steps: optional(wholeNumber(1)),
  });
  const retry = optionsSchema<ModelRetry>({
    attempts: optional(aBound(1)),
    maxWaitMs: optional(aBound(0)),
    maxTotalWaitMs: optional(aBound(0)),
    initialWaitMs: optional(aBound(0)),
    attemptTimeoutMs: optional(aBound(0)),
    idleTimeoutMs: optional(aBound(0)),
    onBreak: optional(oneOf(['restart', 'continue'])),
    adaptive: optional(shortOr(isBoolean, adaptive)),
  });
  return optionsSchema<FailureOptions>({
    retry: optional(retry),
    recovery: optional(
      optionsSchema<RecoveryPolicy>({ limit: optional(wholeNumber(1)), handle: optional(aFunction()) }),
    ),
    timeoutMs: optional(aTime()),
    asMember: optional(memberPolicySchema()),
  });
});

/** The schema of what an agent is made of. Names, schemas, tools and the state are checked where they are read. */
export const agentSchema = onDemand(() =>
  together<AgentOptions>(
    optionsSchema<AgentOptions>({
      name: anything(),
      description: optional(aText()),
      instructions: optional(aText()),
      model: optional(formOr(isEmptyList, someModel(), oneOrMore(modelSchema()))),
      settings: optional(settingsSchema()),
      input: anything(),
      output: anything(),
      strategy: optional(oneOrMore(shortOr(isText, strategySchema()))),
      tools: optional(list(anything(), 'tools')),
      environment: optional(
        fulfilling((given) => isObject(given) || typeof given === 'function', 'not an environment'),
      ),
      memory: optional(memorySchema()),
      conversation: optional(conversationSchema()),
      state: anything(),
      observe: optional(aFunction()),
      decide: optional(aFunction()),
      reduce: optional(aFunction()),
      critics: optional(list(criticSchema(), 'critics')),
      stop: optional(stopSchema()),
      limits: optional(limitsSchema()),
      failures: optional(failuresSchema()),
      mailbox: optional(agentMailboxSchema()),
      hooks: optional(hooksSchema()),
    }),
    misnamedProvider,
  ),
);

/** The problem of options for a provider whose name is nearly that of one of the agent's models. */
const misnamedProvider = ({ model, settings = {} }: AgentOptions): ['settings', string] | undefined => {
  const providers = [model ?? []].flat().flatMap((each) => {
    // Only that it can answer was checked.
    const { provider }: { readonly provider?: unknown } =
      typeof each === 'string' ? { provider: each.split(':', 1).join('').trim().toLowerCase() } : each;
    return typeof provider === 'string' ? [provider] : [];
  });
  const found = misnamedOptions(settings, providers);
  if (found === undefined) return undefined;
  return ['settings', `not for its models: \`${found.field}\`, did you mean \`${found.meant}\`?`];
};
