import { isJsonObject, type Json, toJson } from '../../base/json/json.ts';
import type { ModelAnswer, ModelRequest } from '../../contracts/models/model.ts';
import { APPROVE_PROVIDER_CALL } from '../../contracts/tools/provider-approval.ts';
import type { ProviderCall } from '../../contracts/models/provider-call.ts';
import type { ToolSpec } from '../../contracts/tools/tool-call.ts';

/** The tools of a request that its provider runs itself. */
export const toolsRunBy = (
  provider: string,
  { settings, tools, toolChoice }: ModelRequest,
): readonly object[] =>
  // Where there are tools of ours, the choice itself rules the provider's out.
  toolChoice === 'none' && tools.length === 0 ? [] : (settings?.providerTools?.[provider] ?? []);

/** The name by which a provider's definition has its tool called: its own, or its type. */
export const nameOfTheirs = (definition: object): string => {
  const { name, type }: { name?: unknown; type?: unknown } = definition;
  return String(name ?? type);
};

/** The tools of a request that it defines itself: one of the agent that has the name of the provider's carries out what that one asks for. */
export const toolsDefinedHere = (
  { tools }: Pick<ModelRequest, 'tools'>,
  theirs: readonly object[],
): readonly ToolSpec[] => {
  if (theirs.length === 0) return tools;
  const names = new Set(theirs.map(nameOfTheirs));
  return tools.filter(({ name }) => !names.has(name));
};

/**
 * The field of all tools of a request; absent without any of its provider's. These come first: a mark of the cache on the last
 * tool is for all of them. Outside the types of the SDKs: their definitions are the app's.
 */
export const allTools = (theirs: readonly object[], ours: readonly object[] = []): object =>
  theirs.length === 0 ? {} : { tools: [...theirs, ...ours] };

/** The calls of an answer that its provider ran; absent if there are none. */
export const providerCalls = (calls: readonly ProviderCall[]): Pick<ModelAnswer, 'providerCalls'> =>
  calls.length === 0 ? {} : { providerCalls: calls };

/** One of them. */
export const providerCall = (tool: unknown, input: unknown, problem: unknown): ProviderCall => ({
  tool: String(tool),
  ...(input == null ? {} : { input: toJson(input) }),
  ...(problem === undefined ? {} : { problem: problemText(toJson(problem)) }),
});

const problemText = (problem: Json): string => {
  if (typeof problem === 'string') return problem;
  const { message, error_code: code } = isJsonObject(problem) ? problem : {};
  const text = [message, code].find((found) => typeof found === 'string');
  return text ?? JSON.stringify(problem);
};

/** The reason in the result of a call for approval that was refused: without its beginning, which names a tool that no model knows. */
export const refusalReason = (text: string): string => text.replace(REFUSAL, '');

const REFUSAL = new RegExp(
  `^Cannot run '${APPROVE_PROVIDER_CALL}' as ((it was denied|a person denied it): )?`,
);
