import { isJsonObject, type Json, type JsonObject, toJson } from '../../base/json/json.ts';
import type { ProviderCall } from '../../contracts/models/provider-call.ts';
import { callArguments } from '../calls/call-arguments.ts';
import { providerCall } from '../wire/provider-tools.ts';

/** Facts of an answer about what its server ran and found for it, collected from its chunks. */
export interface ChatSearches {
  /** Takes a chunk, or the delta in it. */
  take(piece: object): void;
  /** The calls that the server ran. */
  calls(usage: unknown): readonly ProviderCall[];
  /** The citations of the answer, in the fields and the form of its server; empty without any. */
  citations(): JsonObject;
}

/**
 * Collects the calls that a server of Chat Completions ran, in the forms that are documented:
 *
 * - `executed_tools` of Groq, a call each, with its arguments;
 * - `usage.server_tool_use` of OpenRouter, a number of searches;
 * - `annotations` of OpenAI's search models and of OpenRouter, `citations` of xAI, both and `search_results` of Perplexity: there was a search, of
 *   which nothing else is reported.
 */
export const chatSearches = (): ChatSearches => {
  const executed = new Map<Json, JsonObject>();
  const annotations: Json[] = [];
  const found = new Map<string, readonly Json[]>();
  return {
    take: (piece) => {
      for (const [place, tool] of listIn(piece, 'executed_tools').entries()) {
        if (!isJsonObject(tool)) continue;
        const index = tool['index'] ?? place;
        // What a later piece does not have, or has empty, is as it was.
        const news = Object.entries(tool).filter(([, value]) => value !== null && value !== '');
        executed.set(index, { ...executed.get(index), ...Object.fromEntries(news) });
      }
      annotations.push(...listIn(piece, 'annotations'));
      if (annotations.length > 0) found.set('annotations', annotations);
      // Repeated whole in each chunk.
      for (const field of ['citations', 'search_results'] as const) {
        const list = listIn(piece, field);
        if (list.length > 0) found.set(field, list);
      }
    },
    calls: (usage) => {
      if (executed.size > 0) return [...executed.values()].map(executedCall);
      const run = isJsonObject(usage) ? usage['server_tool_use'] : undefined;
      const counted = isJsonObject(run) ? Number(run['web_search_requests']) : 0;
      const searches = counted >= 1 ? Math.min(Math.trunc(counted), MAX_LISTED) : Math.min(found.size, 1);
      return Array.from({ length: searches }, () => providerCall('web_search', undefined, undefined));
    },
    citations: () => Object.fromEntries(found),
  };
};

/** A server may report any number. */
const MAX_LISTED = 1_000;

const executedCall = ({ type, name, arguments: given }: JsonObject): ProviderCall =>
  providerCall(
    [type, name].find((each) => typeof each === 'string') ?? 'unknown',
    typeof given === 'string' ? callArguments(given).input : given,
    undefined,
  );

const listIn = (piece: object, field: string): readonly Json[] => {
  const list = toJson(Reflect.get(piece, field));
  return Array.isArray(list) ? list : [];
};
