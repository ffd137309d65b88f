import type { OutputConfig, ThinkingConfigParam } from '@anthropic-ai/sdk/resources/messages';
import type { ModelRequest, ReasoningEffort, ReasoningSettings } from '../../contracts/models/model.ts';
import { plainSettings, type Refusals } from '../wire/sent-settings.ts';

/** The thinking configuration, in this API's terms. */
export interface ThinkingFields {
  readonly thinking?: ThinkingConfigParam | undefined;
  readonly effort?: OutputConfig['effort'] | undefined;
  readonly maxTokens: number;
}

/**
 * Translates the reasoning for the model: an effort with adaptive thinking, or, before version 4.6, a token budget, which
 * is added to `maxTokens`. A forced tool choice excludes thinking.
 *
 * @example
 * thinkingFields('claude-sonnet-5-5', request, { effort: 'low' }, 8192)
 * // => { thinking: { type: 'adaptive' }, effort: 'low', maxTokens: 8192 }
 */
export const thinkingFields = (
  id: string,
  request: Pick<ModelRequest, 'tools' | 'toolChoice'>,
  { effort, budgetTokens }: ReasoningSettings,
  maxTokens: number,
): ThinkingFields => {
  if (effort === 'none') return { thinking: { type: 'disabled' }, maxTokens };
  if (BEFORE_ADAPTIVE.test(id)) {
    const budget = budgetTokens ?? (effort === undefined ? undefined : BUDGETS[effort]);
    if (budget === undefined || isForced(request)) return { maxTokens };
    return { thinking: { type: 'enabled', budget_tokens: budget }, maxTokens: maxTokens + budget };
  }
  if (effort === undefined) return { maxTokens };
  const found = effort === 'minimal' ? 'low' : effort;
  return { ...(isForced(request) ? {} : { thinking: { type: 'adaptive' } }), effort: found, maxTokens };
};

/** The reasons for which a model does not take what is set of its thinking. */
export const thinkingRefusals = (
  id: string,
  request: Pick<ModelRequest, 'settings' | 'tools' | 'toolChoice'>,
): Refusals => {
  const { budgetTokens } = plainSettings(request.settings ?? {});
  if (!BEFORE_ADAPTIVE.test(id))
    return { 'reasoning.budgetTokens': 'it decides itself how long it thinks: give an effort' };
  const forced = isForced(request) && 'it does not think before a call that is required';
  const isLittle = budgetTokens !== undefined && budgetTokens < BUDGETS.minimal;
  return {
    'reasoning.effort': forced,
    'reasoning.budgetTokens': isLittle ? `its smallest budget is ${BUDGETS.minimal} tokens` : forced,
  };
};

/** True if a request turns thinking on, by the settings that it is sent with. */
export const isThinking = (
  id: string,
  request: Pick<ModelRequest, 'tools' | 'toolChoice'>,
  sent: ReasoningSettings,
): boolean => (thinkingFields(id, request, sent, 0).thinking?.type ?? 'disabled') !== 'disabled';

const isForced = ({ tools, toolChoice }: Pick<ModelRequest, 'tools' | 'toolChoice'>): boolean =>
  tools.length > 0 && (toolChoice === 'required' || typeof toolChoice === 'object');

const BEFORE_ADAPTIVE = /^claude-(3|(opus|sonnet|haiku)-4(-[0-5])?(-\d{8})?$)/;

/** In tokens; 1,024 is the smallest that the API takes. */
const BUDGETS: Readonly<Record<Exclude<ReasoningEffort, 'none'>, number>> = {
  minimal: 1_024,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
};
