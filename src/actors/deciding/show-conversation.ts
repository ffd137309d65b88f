import { errorData, TroupeError } from '../../contracts/errors/error.ts';
import type { History } from '../../base/collections/history.ts';
import type { Model } from '../../contracts/models/model.ts';
import type { Usage } from '../../contracts/models/usage.ts';
import type { Compaction, Summariser } from '../../contracts/conversations/processor.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';
import { withinTime } from '../../base/promises/within-time.ts';
import { isThenable } from '../../base/promises/thenable.ts';
import type { AgentContext, Decided } from '../../machines/agent/agent-context.ts';
import { budgetFor, isKnownModel } from '../../memory/tokens/model-limits.ts';
import { modelSummariser } from '../../memory/processors/model-summariser.ts';
import type { Shown, ShowRequest } from '../../memory/processors/shown-conversation.ts';
import type { CompactionDefinition } from '../agent-definition.ts';
import type { Desk } from '../desk.ts';

/** The sent part of a conversation, and its compaction. */
export type Sent = Pick<Shown, 'history' | 'compaction' | 'usage'>;

/**
 * Selects the part of the conversation to send: all of it while it fits.
 *
 * Compaction is published by events, and returned in `compaction` for the agent's context.
 */
export const showConversation = (context: AgentContext, model: Model, desk: Desk): Sent | Promise<Sent> => {
  const { definition } = desk;
  const { history, run } = context;
  const plan = definition.compaction;
  // Free for a model without a limit, and for an agent that sends everything.
  if (plan === undefined || (!plan.isConstant && run.compaction === undefined && !isLimited(plan, model)))
    return { history };
  const shown = desk.conversation.show(requestOf(context, model, plan, desk));
  return isThenable(shown)
    ? shown.then((settled) => publishCompaction(settled, history, model, desk))
    : publishCompaction(shown, history, model, desk);
};

/** The compaction to retry with after an overflow; undefined if nothing can be left out. */
export const compactionAfterOverflow = (
  context: AgentContext,
  { compaction = context.run.compaction }: Sent,
  model: Model,
  desk: Desk,
): Compaction | undefined => {
  const plan = desk.definition.compaction;
  if (plan === undefined) return undefined;
  const sent = { ...context, run: { ...context.run, compaction } };
  return desk.conversation.afterOverflow(requestOf(sent, model, plan, desk));
};

const isLimited = ({ budget }: CompactionDefinition, { isLanguageModel }: Model): boolean =>
  budget !== undefined || isLanguageModel !== false;

const requestOf = (
  { history, run }: AgentContext,
  model: Model,
  plan: CompactionDefinition,
  desk: Desk,
): ShowRequest => {
  const name = `${model.provider}:${model.id}`;
  return {
    history,
    compaction: run.compaction ?? null,
    promptAt: run.promptAt,
    model: name,
    budget: isLimited(plan, model) ? budgetFor(name, plan.budget) : undefined,
    isGuess: plan.budget?.hard === undefined && !isKnownModel(name),
    instructions: desk.systemPrompt,
    tools: desk.tools.specsIn(history),
    summariser: () => summariserOf(plan, model, desk),
  };
};

/** Time limit of a summary, in ms. */
const SUMMARY_TIMEOUT_MS = 60_000;

const summariserOf = (plan: CompactionDefinition, model: Model, desk: Desk): Summariser | undefined => {
  const { summariser = model.isLanguageModel === false ? false : modelSummariser(model) } = plan;
  if (summariser === false) return undefined;
  return {
    name: summariser.name,
    summarise: (request) =>
      withinTime(summariser.summarise(request, desk.abort.signal), {
        ms: SUMMARY_TIMEOUT_MS,
        clock: desk.clock,
        abort: desk.abort,
        late: () =>
          new TroupeError(
            'model.timeout',
            `Cannot summarise as ${summariser.name} takes too long: more than ${SUMMARY_TIMEOUT_MS} ms`,
          ),
      }),
  };
};

const publishCompaction = (shown: Shown, history: History<Turn>, model: Model, desk: Desk): Shown => {
  const { warning, cut, problem, usage } = shown;
  if (warning !== undefined) desk.emit({ type: 'context.warned', ...warning });
  if (problem !== undefined) {
    const message = 'Cannot summarise what is left out of the conversation';
    desk.emit({ type: 'context.summary-failed', error: errorData(problem, 'model.failed', { message }) });
  }
  if (cut !== undefined)
    desk.emit({
      type: 'context.compacted',
      ...cut,
      rungs: [...cut.rungs],
      shown: shown.history.length,
      of: history.length,
      ...(usage === undefined ? {} : paid(usage, model, desk)),
    });
  return shown;
};

/** Charges a summary like any call; its cost is unknown unless the agent's own model made it. */
const paid = (usage: Usage, model: Model, desk: Desk) => {
  const { summariser } = desk.definition.compaction ?? {};
  const costUsd = summariser === undefined || summariser === false ? desk.costOf(model, usage) : undefined;
  desk.account?.charge({ tokens: usage.input + usage.output, usd: costUsd ?? 0 });
  return {
    usage,
    summariser:
      summariser === undefined || summariser === false ? `${model.provider}:${model.id}` : summariser.name,
    ...(costUsd === undefined ? {} : { costUsd }),
  };
};

/** Adds the compaction, and the usage of its summary, to a decision. */
export const withCompaction = (decided: Decided, { compaction, usage }: Sent): Decided => {
  if (compaction === undefined) return decided;
  return usage === undefined
    ? { ...decided, compaction }
    : { ...decided, compaction, usage: addUsage(usage, decided.usage) };
};

/** Adds up two usages. */
const addUsage = (one: Usage, other: Usage | undefined): Usage =>
  other === undefined
    ? one
    : {
        ...other,
        input: one.input + other.input,
        output: one.output + other.output,
        cached: (one.cached ?? 0) + (other.cached ?? 0),
      };
