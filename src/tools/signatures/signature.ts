import type {
  FieldListSchema,
  Signature,
  SignatureInputSchema,
  SignatureOutputSchema,
  ValidFieldList,
  ValidSignature,
} from '../../contracts/agents/signature.ts';
import { parseFieldList, parseSignature } from './signature-parse.ts';
import { printSignature } from './signature-print.ts';
import { fieldsSchema } from './signature-schema.ts';

/**
 * Compiles a signature string to the schemas of an agent's input and output; both are typed by the string.
 *
 * Types are string, number, integer, boolean, json, date, values (`'low' | 'high'`) and lists (`string[]`); a name
 * alone is a string. `name?` is optional, `= 3` is a default, and `"words in quotes"` describe a field to the model.
 *
 * @example
 * const { input, output } = signature('question: string -> answer: string, confidence: number "from 0 to 1"');
 * const { output: found } = await agent({ name: 'oracle', input, output }).run({ question: 'Why?' });
 * found?.confidence.toFixed(1);
 *
 * @throws {TroupeError} `agent.invalid`, with a caret under the place that cannot be read.
 */
export const signature = <const Text extends string>(text: Text & ValidSignature<Text>): Signature<Text> => {
  const fields = parseSignature(text);
  const described = { ...fields, text: printSignature(fields) };
  const schemas = {
    // The compiler parsed the same string by the same grammar (test/signatures holds them together).
    input: fieldsSchema(fields.inputs) as SignatureInputSchema<Text>,
    output: fieldsSchema(fields.outputs) as SignatureOutputSchema<Text>,
  };
  // Not enumerable: spread into the options of an agent, a signature is its two schemas.
  for (const [name, value] of Object.entries(described)) Object.defineProperty(schemas, name, { value });
  return schemas as typeof schemas & typeof described;
};

/**
 * Compiles one side of a signature to a schema.
 *
 * @example agent({ name: 'oracle', output: fieldList('answer: string, confidence: number') })
 *
 * @throws {TroupeError} `agent.invalid`, as {@link signature} does.
 */
export const fieldList = <const Text extends string>(
  text: Text & ValidFieldList<Text>,
): FieldListSchema<Text> => fieldsSchema(parseFieldList(text)) as FieldListSchema<Text>;
