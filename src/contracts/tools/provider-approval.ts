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

/** Checks whether a call is a provider's request: a model may call the tool by its name, which asks nobody. */
export const isProviderRequest = ({ name, origin }: Pick<ToolCall, 'name' | 'origin'>): boolean =>
  name === APPROVE_PROVIDER_CALL && typeof origin?.id === 'string' && origin.fields !== undefined;
