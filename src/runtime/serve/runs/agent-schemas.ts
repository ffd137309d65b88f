import type { JsonSchema } from '../../../base/json/json.ts';
import { jsonSchemaOf } from '../../../tools/schemas/schemas.ts';
import type { ServedAgent } from './served-names.ts';

/** The JSON Schemas of an agent's input and answer; undefined for a text. */
export interface AgentSchemas {
  readonly input: JsonSchema | undefined;
  readonly output: JsonSchema | undefined;
}

/** Reads the JSON Schemas of an agent; those of a team are not known. */
export const schemasOf = ({ definition: { agent } }: Pick<ServedAgent, 'definition'>): AgentSchemas => {
  const { input } = agent?.schemas ?? {};
  return {
    input: agent?.takesText === false && input !== undefined ? jsonSchemaOf(input) : undefined,
    output: agent?.output?.spec.schema,
  };
};
