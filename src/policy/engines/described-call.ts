import type { Json, JsonObject } from '../../base/json/json.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import type { ProposedCall } from '../../contracts/tools/safety.ts';

/** A call as an engine outside receives it: plain JSON, without ids, so that equal calls are equal questions. */
export type DescribedCall = {
  readonly tool: string;
  /** The part of the tool's name before its last dot. */
  readonly toolset?: string;
  readonly safety: string;
  readonly category: string;
  readonly tags: readonly string[];
  readonly agent: string;
  /** The role in its team: `researcher` for each of its researchers. */
  readonly role: string;
  readonly path: string;
  readonly above: readonly string[];
  /** As the model gave it. */
  readonly input: Json;
  readonly environment?: string;
  /** Origins of what the agent has read, in its own calls or through others. */
  readonly after: readonly string[];
  /** The recorded time of the step, as ISO 8601. */
  readonly time: string;
  /** Facts that the app adds. */
  readonly also?: JsonObject;
};

/** An app's own facts about a call. */
export type FurtherFacts = (call: ProposedCall) => Readonly<Record<string, unknown>>;

/** Describes a call for an engine outside. Of the run's context there is only what `also` takes out of it, as it may hold secrets. */
export const describeCall = (call: ProposedCall, also?: FurtherFacts): DescribedCall => {
  const { tool, facts, agent, path, above, input, environment, origins, at } = call;
  const dot = tool.lastIndexOf('.');
  return {
    tool,
    ...(dot > 0 ? { toolset: tool.slice(0, dot) } : {}),
    safety: facts.safety,
    category: facts.category,
    tags: facts.tags,
    agent,
    role: path.slice(path.lastIndexOf('/') + 1).replace(/-\d+$/, ''),
    path,
    above,
    input,
    ...(environment === undefined ? {} : { environment }),
    after: origins,
    time: new Date(at).toISOString(),
    ...(also === undefined ? {} : { also: furtherFacts(also(call)) }),
  };
};

const furtherFacts = (given: unknown): JsonObject => {
  const facts = toJson(given);
  if (isJsonObject(facts)) return facts;
  throw new TypeError('`also` returned no object');
};
