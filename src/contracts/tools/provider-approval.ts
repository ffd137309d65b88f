import type { Json } from '../../base/json/json.ts';
import type { ToolCall } from './tool-call.ts';

/**
 * The tool that stands for a provider's requests for approval: a call of it waits for a person, and its result is the provider's answer. No
 * model is offered it.
 */
export const APPROVE_PROVIDER_CALL = 'approve_provider_call';

/** The input of such a call: the call that a provider would run itself. */
export type ProviderApproval = {
  readonly server: string;
  readonly tool: string;
  readonly input: Json;
};

/** The request of a provider that a call stands for, as its adapter has noted it; undefined for a call that a model made of that name. */
export const requestIn = ({ origin }: Pick<ToolCall, 'origin'>): Json | undefined =>
  origin?.fields?.['request'];
