import type { BudgetSpent } from '../../contracts/runs/budget.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { Model, ModelAnswer } from '../../contracts/models/model.ts';
import type { Usage } from '../../contracts/models/usage.ts';
import { type History, HistoryView } from '../../base/collections/history.ts';
import type { ToolSpec } from '../../contracts/tools/tool-call.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';
import type { BudgetAccount, Reservation } from '../../policy/budget-account.ts';
import type { Desk } from '../desk.ts';

/** Output tokens reserved for a call without `maxOutputTokens`. */
const DEFAULT_OUTPUT_TOKENS = 4_096;
/** Both vendors' rule of thumb for English text. */
const CHARACTERS_PER_TOKEN = 4;

/** Reserves the cost of the next request: its estimated input, and the largest output. */
export const reserveCall = (
  account: BudgetAccount,
  history: History<Turn>,
  model: Model,
  desk: Desk,
): Reservation | BudgetSpent | Promise<Reservation | BudgetSpent> => {
  // Limits on steps, time or tool calls need no estimate.
  if (!account.limitsCalls) return account.reserve(NOTHING, desk.abort);
  const input = inputTokens(history, desk);
  const output = desk.definition.settings?.maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS;
  if (!account.limitsMoney) return account.reserve({ tokens: input + output, usd: 0 }, desk.abort);
  const usd = desk.costOf(model, { input, output });
  if (usd === undefined && account.refusesUnpriced) throw unpricedError(model);
  // Of a conversation that was answered before, the provider may have kept the input in its cache.
  const cached = new HistoryView(history).some(({ role }) => role === 'assistant') ? input : 0;
  const leastUsd = desk.costOf(model, { input, output: 0, cached });
  return account.reserve({ tokens: input + output, usd: usd ?? 0 }, desk.abort, leastUsd);
};

/** The error of a money budget for a model without a price. */
export const unpricedError = ({ provider, id }: Pick<Model, 'provider' | 'id'>): TroupeError =>
  new TroupeError(
    'budget.unpriced',
    `Cannot hold the budget in US dollars as the price of a model is not known: ${provider}:${id} (pass \`prices\`, or \`unpriced: 'ignore'\`)`,
  );

/** Usage of a call, estimated from its characters; `tools` are those that were sent with it. */
export const estimatedUsage = (
  history: History<Turn>,
  tools: readonly ToolSpec[],
  characters: number,
  { counter, systemPrompt }: Pick<Desk, 'counter' | 'systemPrompt'>,
): Usage => ({
  input: counter.history(history) + counter.overhead(systemPrompt, tools),
  output: Math.ceil(characters / CHARACTERS_PER_TOKEN),
  isEstimate: true,
});

/** Checks whether an answer lacks its usage, as no language model uses zero tokens. */
export const isUnreported = ({ usage, cached }: ModelAnswer, { isLanguageModel }: Model): boolean =>
  cached === undefined &&
  usage.input === 0 &&
  usage.output === 0 &&
  (isLanguageModel !== false || usage.isEstimate === true);

/** In characters. */
export const answerLength = ({ text, reasoning = '', calls }: ModelAnswer): number =>
  text.length + reasoning.length + (calls.length === 0 ? 0 : callsLength(calls));

/** Arguments that are nested too deeply to be counted fail their call, not the run. */
const callsLength = (calls: ModelAnswer['calls']): number => {
  try {
    return JSON.stringify(calls).length;
  } catch {
    return 0;
  }
};

/** Counts only turns added since the last call. */
const inputTokens = (history: History<Turn>, { counter, systemPrompt, tools }: Desk): number =>
  counter.history(history) + counter.overhead(systemPrompt, tools.specs());

const NOTHING = { tokens: 0, usd: 0 };
