import type { Critic } from '../../contracts/agents/critic.ts';
import type { Json } from '../../base/json/json.ts';
import type { Schema } from '../../base/schemas/schema.ts';
import { issuesText } from '../../base/schemas/schema.ts';
import { checkSchema } from '../../tools/schemas/schemas.ts';

/**
 * Rejects an answer that does not match a schema, with the issues; a text that is JSON is parsed first.
 *
 * For constraints beyond the agent's own `output` schema, which is validated before any critic and shown to the model.
 *
 * @example
 * agent({ name: 'poet', critics: [schemaCritic(z.string().max(280), { name: 'length' })] })
 */
export const schemaCritic = (
  schema: Schema,
  { name = 'schema' }: { readonly name?: string | undefined } = {},
): Critic => ({
  name,
  critique: async ({ candidate }) => {
    if (candidate === undefined) return { verdict: 'accept' };
    const first = await checkSchema(schema, candidate);
    const checked =
      first.ok || typeof candidate !== 'string' ? first : await checkHeld(schema, candidate, first);
    if (checked.ok) return { verdict: 'accept' };
    return {
      verdict: 'revise',
      note: `Your answer does not fit: ${issuesText(checked.issues)}. Answer again with one that does.`,
    };
  },
});

type SchemaChecked = Awaited<ReturnType<typeof checkSchema>>;

const checkHeld = async (schema: Schema, text: string, first: SchemaChecked): Promise<SchemaChecked> => {
  let held: Json;
  try {
    held = JSON.parse(text);
  } catch {
    return first;
  }
  return checkSchema(schema, held);
};
