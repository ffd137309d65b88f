import type { OutputConfig, ThinkingConfigParam } from '@anthropic-ai/sdk/resources/messages';
import type { ModelRequest, ModelSettings } from '../../contracts/models/model.ts';

/** The thinking configuration, in this API's terms. */
export interface ThinkingFields {
  readonly thinking?: ThinkingConfigParam | undefined;
  readonly effort?: OutputConfig['effort'] | undefined;
  readonly maxTokens: number;
}

/**
 * Translates `settings.reasoning` for the model: an effort with adaptive thinking, or, before version 4.6, a token
 * budget, which is added to `maxTokens`. A forced tool choice excludes thinking.
 *
 * @example
 * thinkingFields('claude-sonnet-5-5', { ...request, settings: { reasoning: 'low' } }, 8192)
 * // => { thinking: { type: 'adaptive' }, effort: 'low', maxTokens: 8192 }
 */
export const thinkingFields = (
  id: string,
  { settings, tools, toolChoice }: Pick<ModelRequest, 'settings' | 'tools' | 'toolChoice'>,
  maxTokens: number,
): ThinkingFields => {
  const reasoning = settings?.reasoning;
  if (reasoning === undefined) return { maxTokens };
  if (reasoning === 'none') return { thinking: { type: 'disabled' }, maxTokens };
  const isForced = tools.length > 0 && (toolChoice === 'required' || typeof toolChoice === 'object');
  if (BEFORE_ADAPTIVE.test(id)) {
    if (isForced) return { maxTokens };
    const budget = BUDGETS[reasoning];
    return { thinking: { type: 'enabled', budget_tokens: budget }, maxTokens: maxTokens + budget };
  }
  const effort = reasoning === 'minimal' ? 'low' : reasoning;
  return { ...(isForced ? {} : { thinking: { type: 'adaptive' } }), effort, maxTokens };
};

const BEFORE_ADAPTIVE = /^claude-(3|(opus|sonnet|haiku)-4(-[0-5])?(-\d{8})?$)/;

/** In tokens; 1,024 is the smallest that the API takes. */
const BUDGETS: Readonly<Record<Exclude<NonNullable<ModelSettings['reasoning']>, 'none'>, number>> = {
  minimal: 1_024,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
};
