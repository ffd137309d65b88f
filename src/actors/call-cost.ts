import type { BudgetSpent } from '../contracts/budget.ts';
import { TroupeError } from '../contracts/error.ts';
import type { Model, ModelAnswer, Usage } from '../contracts/model.ts';
import type { History } from '../contracts/history.ts';
import type { Turn } from '../contracts/transcript.ts';
import type { BudgetAccount, Reservation } from '../policy/budget-account.ts';
import type { Desk } from './desk.ts';

/** Output tokens that are reserved for a call whose settings give no `maxOutputTokens`. */
const DEFAULT_OUTPUT_TOKENS = 4_096;
/** Both vendors' rule of thumb for English text. */
const CHARACTERS_PER_TOKEN = 4;

/** Reserves what the next request may cost: its estimated tokens, and all the output that it may get. */
export const reserveCall = (
  account: BudgetAccount,
  history: History<Turn>,
  model: Model,
  desk: Desk,
): Reservation | BudgetSpent | Promise<Reservation | BudgetSpent> => {
  // Where only steps, time or tool calls are limited there is nothing to estimate.
  if (!account.limitsCalls) return account.reserve(NOTHING, desk.abort);
  const input = inputTokens(history, desk);
  const output = desk.definition.settings?.maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS;
  const usd = account.limitsMoney ? desk.costOf(model, { input, output }) : 0;
  if (usd === undefined && account.refusesUnpriced) throw unpriced(model);
  return account.reserve({ tokens: input + output, usd: usd ?? 0 }, desk.abort);
};

/** A money budget cannot hold for a model that nobody knows the price of. */
export const unpriced = ({ provider, id }: Pick<Model, 'provider' | 'id'>): TroupeError =>
  new TroupeError(
    'budget.unpriced',
    `Cannot hold the budget in US dollars as the price of a model is not known: ${provider}:${id} (give \`prices\`, or \`unpriced: 'ignore'\`)`,
  );

/** What a call used, as far as its characters tell. */
export const estimatedUsage = (history: History<Turn>, characters: number, desk: Desk): Usage => ({
  input: inputTokens(history, desk),
  output: Math.ceil(characters / CHARACTERS_PER_TOKEN),
  isEstimate: true,
});

/** Checks whether nobody said what a call used: no language model reads and writes nothing. */
export const isUnreported = ({ usage }: ModelAnswer, { isLanguageModel }: Model): boolean =>
  usage.input === 0 && usage.output === 0 && (isLanguageModel !== false || usage.isEstimate === true);

/** In characters. */
export const answerLength = ({ text, reasoning = '', calls }: ModelAnswer): number =>
  text.length + reasoning.length + (calls.length === 0 ? 0 : JSON.stringify(calls).length);

/** Costs no more than what the conversation has grown by since the last time. */
const inputTokens = (history: History<Turn>, { counter, systemPrompt, tools }: Desk): number =>
  counter.history(history) + counter.overhead(systemPrompt, tools.specs());

const NOTHING = { tokens: 0, usd: 0 };
