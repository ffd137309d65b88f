import { canonical } from '../../src/base/json/canonical.ts';
import { isJsonObject, type Json, type JsonObject, toJson } from '../../src/base/json/json.ts';
import { judgingProvider, type MockProvider, type Reply } from './mock-provider.ts';

const objects = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.map((each) => toJson(each)).filter(isJsonObject) : [];

export const textOf = (value: Json | undefined): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null);

const wordsOf = (item: JsonObject): string =>
  typeof item['content'] === 'string'
    ? item['content']
    : objects(item['content'])
        .map(({ text }) => textOf(text))
        .join('');

const parsed = (text: Json | undefined): Json => toJson(JSON.parse(textOf(text)));

/** Whether an item that is sent is one that was given: calls and plain words have no id there. */
const isSame = (given: JsonObject, sent: JsonObject): boolean => {
  if (given['type'] === 'function_call')
    return (
      sent['type'] === 'function_call' &&
      sent['name'] === given['name'] &&
      canonical(parsed(sent['arguments'])) === canonical(parsed(given['arguments']))
    );
  if (given['id'] !== undefined && sent['id'] === given['id']) return true;
  return given['type'] === 'message' && sent['role'] === 'assistant' && wordsOf(sent) === wordsOf(given);
};

/** The reason for which the Responses API refuses an input after these outputs. */
const responsesRefusal = (
  input: readonly JsonObject[],
  outputs: readonly (readonly JsonObject[])[],
): string | undefined => {
  for (const [index, sent] of input.entries()) {
    const { type, id, call_id: callId } = sent;
    const output = outputs.find((items) => items.some((item) => id !== undefined && item['id'] === id)) ?? [];
    const at = output.findIndex((item) => item['id'] === id);
    if (type === 'reasoning') {
      const bound = output.slice(at + 1).find((item) => item['type'] !== 'reasoning');
      const next = input.slice(index + 1).find((item) => item['type'] !== 'reasoning');
      if (bound !== undefined && (next === undefined || !isSame(bound, next)))
        return `Item '${textOf(id)}' of type 'reasoning' was provided without its required following item.`;
      if (canonical(sent) !== canonical(output[at])) return `Item '${textOf(id)}' was changed.`;
    } else if (at > 0) {
      const required = output.slice(0, at).findLast((item) => item['type'] === 'reasoning')?.['id'];
      if (required !== undefined && !input.slice(0, index).some((item) => item['id'] === required))
        return `Item '${textOf(id)}' of type '${textOf(type)}' was provided without its required 'reasoning' item: '${textOf(required)}'.`;
    }
    const isAnswered = input.some(
      (item) => item['type'] === 'function_call_output' && item['call_id'] === callId,
    );
    if (type === 'function_call' && !isAnswered)
      return `No tool output found for function call ${textOf(callId)}.`;
  }
  return undefined;
};

/** The reason for which the Messages API refuses messages after these answers. */
const messagesRefusal = (
  messages: readonly JsonObject[],
  answers: readonly (readonly JsonObject[])[],
): string | undefined => {
  for (const [index, { role, content }] of messages.entries()) {
    if (role !== 'assistant') continue;
    const blocks = objects(content);
    const isThought = ({ type }: JsonObject): boolean => type === 'thinking';
    const given = answers.flat().filter(isThought).map(canonical);
    if (blocks.some((block) => isThought(block) && !given.includes(canonical(block))))
      return `messages.${index}: \`thinking\` blocks in the latest assistant message cannot be modified.`;
    const last = blocks.at(-1);
    if (last !== undefined && isThought(last))
      return `messages.${index}: The final block in an assistant message cannot be \`thinking\`.`;
    const [first] = blocks;
    if (given.length > 0 && blocks.some(({ type }) => type === 'tool_use') && first && !isThought(first))
      return `messages.${index}.content.0.type: Expected \`thinking\`, but found \`${textOf(first['type'])}\`.`;
    const answered = new Set(objects(messages[index + 1]?.['content']).map((block) => block['tool_use_id']));
    const open = blocks.find((block) => block['type'] === 'tool_use' && !answered.has(block['id']));
    if (open !== undefined)
      return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${textOf(open['id'])}.`;
  }
  return undefined;
};

const json = (body: object, status = 200): Reply => ({
  status,
  headers: { 'content-type': 'application/json' },
  pieces: [JSON.stringify(body)],
});

const refused = (message: string | undefined): Reply | undefined =>
  message === undefined
    ? undefined
    : json(
        { type: 'error', error: { type: 'invalid_request_error', message, code: null, param: 'input' } },
        400,
      );

/** A Responses API on loopback that gives these outputs, in one piece each, and refuses an input that does not go with them. */
export const strictResponses = (outputs: readonly (readonly object[])[]): Promise<MockProvider> =>
  judgingProvider(({ body }, index) => {
    const given = outputs.map(objects);
    const output = outputs[index] ?? [];
    const usage = { input_tokens: 3, output_tokens: 2, total_tokens: 5 };
    return (
      refused(responsesRefusal(objects(body['input']), given)) ??
      json({
        id: `resp_${index}`,
        object: 'response',
        created_at: 1,
        model: 'gpt-5.5',
        status: 'completed',
        output,
        usage,
      })
    );
  });

/** A Messages API on loopback that gives these blocks, in one piece each, and refuses messages that do not go with them. */
export const strictMessages = (answers: readonly (readonly object[])[]): Promise<MockProvider> =>
  judgingProvider(({ body }, index) => {
    const content = answers[index] ?? [];
    const isCalling = objects(content).some(({ type }) => type === 'tool_use');
    return (
      refused(messagesRefusal(objects(body['messages']), answers.map(objects))) ??
      json({
        id: `msg_${index}`,
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content,
        stop_reason: isCalling ? 'tool_use' : 'end_turn',
        stop_sequence: null,
        usage: { input_tokens: 3, output_tokens: 2 },
      })
    );
  });
