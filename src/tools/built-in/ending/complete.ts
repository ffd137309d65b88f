import * as z from 'zod';
import type { Json, JsonObject } from '../../../base/json/json.ts';
import { isJsonObject, toJson } from '../../../base/json/json.ts';
import { onDemand } from '../../../base/on-demand.ts';
import { asProperty } from '../../../base/schemas/schema-as-property.ts';
import type { DefinedTool } from '../../define/define-tool.ts';
import { packageTool } from '../../define/define-tool.ts';
import { checkInput, jsonSchemaOf } from '../../schemas/schemas.ts';
import type { Dual } from '../../calls/tool-result.ts';
import { dual } from '../../calls/tool-result.ts';

const EMPTY = 'the answer is empty';
const WHAT = 'The final answer; it must not be empty.';

/** Explains a missing answer to the model: the union's own message would only say that its input is invalid. */
const whyNone =
  (wanted = '') =>
  ({ input }: { readonly input?: unknown }): string | undefined =>
    input === undefined || input === null
      ? `it is ${input === null ? 'null' : 'missing'}: give the final answer there${wanted}`
      : undefined;

const values = onDemand(
  () =>
    [
      z.string().trim().min(1, EMPTY),
      z.number(),
      z.boolean(),
      z.array(z.unknown()),
      z.record(z.string(), z.unknown()),
    ] as const,
);

const summary = onDemand(() => z.string().optional().describe('What was done, in a sentence.'));
const input = () =>
  z.object({ answer: z.union(values(), { error: whyNone() }).describe(WHAT), summary: summary() });

/**
 * The control tool `complete`: ends the run with an answer, once the other calls of the same step are done.
 *
 * For an agent whose answer has a schema, its parameters are that schema. An empty or invalid answer is refused and
 * ends nothing: the model reads the reason and continues.
 *
 * @example
 * agent({ name: 'clerk', tools: [complete] }); // the model calls complete({ answer: '42', summary: 'added them up' })
 */
export const complete: DefinedTool<z.output<ReturnType<typeof input>>, Json, Dual<Json>> = packageTool({
  name: 'complete',
  description: 'Ends the task with its final answer. Call it alone, when everything is done.',
  category: 'control',
  input,
  describe: () => 'Finishing',
  execute: ({ answer: given, summary: done }): Dual<Json> => {
    const value: Json = toJson(given);
    return dual({
      text: done ?? (typeof value === 'string' ? value : JSON.stringify(value)),
      value,
      control: { type: 'complete', answer: value, ...(done === undefined ? {} : { summary: done }) },
    });
  },
  forOutput: (schema) => {
    const answer = z.union([...values(), z.null()], { error: whyNone(shapeOf(schema)) });
    // Checks only that there is an answer: the schema itself validates it, which may do more than JSON Schema can
    // express.
    const checked = z.object({ answer, summary: summary() });
    return { parameters: parametersFor(schema), check: (given) => checkInput(checked, given) };
  },
});

const parametersFor = (schema: JsonObject): JsonObject => {
  const { property, definitions } = asProperty(schema, 'answer');
  const described =
    isJsonObject(property) && property['description'] === undefined
      ? { ...property, description: WHAT }
      : property;
  return {
    type: 'object',
    properties: { answer: described, summary: jsonSchemaOf(summary()) },
    required: ['answer'],
    ...definitions,
  };
};

/** Describes an object briefly; returns an empty text for other schemas. */
const shapeOf = ({ type, properties }: JsonObject): string =>
  type === 'object' && isJsonObject(properties)
    ? `, an object with ${Object.keys(properties).join(', ')}`
    : '';
