import type { ChatProfileName } from '../../src/models/openai/chat-profiles.ts';
import { event, judgingProvider, type MockProvider, type Reply, type SeenRequest } from './mock-provider.ts';

/** A message as a server sees it. */
interface SeenMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly SeenCall[];
  readonly [field: string]: unknown;
}

interface SeenCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
  readonly [field: string]: unknown;
}

interface SeenTool {
  readonly function: { readonly name: string; readonly parameters: Readonly<Record<string, unknown>> };
}

/** The refusals of a provider beyond those of all, its way to say so, and its answers. */
export interface StrictServer {
  /** The reason for which it refuses a request, as the provider words it; undefined where it takes it. */
  refusal(body: SeenBody): string | undefined;
  /** The body of a refusal. */
  refused(words: string): { readonly status: number; readonly body: unknown };
  /** The chunks of its call number `index` for a city, or of its last words. */
  call(index: number, city: string): readonly object[];
  say(text: string): readonly object[];
}

export interface SeenBody {
  readonly messages: readonly SeenMessage[];
  readonly tools?: readonly SeenTool[];
  readonly [field: string]: unknown;
}

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

const chunk = (delta: object, finish: string | null = null, more: object = {}): object => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  model: 'a-model',
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
});

const openaiError = (words: string, code: string | null = null) => ({
  status: 400,
  body: { error: { message: words, type: 'invalid_request_error', param: null, code } },
});

const callOf = (id: string, city: string, more: object = {}): object => ({
  index: 0,
  id,
  type: 'function',
  function: { name: 'weather', arguments: JSON.stringify({ city }) },
  ...more,
});

const plain: StrictServer = {
  refusal: () => undefined,
  refused: (words) => openaiError(words),
  call: (index, city) => [
    chunk({ role: 'assistant', content: null, tool_calls: [callOf(`call_abc${index}`, city)] }),
    chunk({}, 'tool_calls'),
    { id: 'c1', choices: [], usage },
  ],
  say: (text) => [
    chunk({ role: 'assistant', content: text }),
    chunk({}, 'stop'),
    { id: 'c1', choices: [], usage },
  ],
};

const assistants = ({ messages }: SeenBody): readonly SeenMessage[] =>
  messages.filter(({ role }) => role === 'assistant');

const callsIn = (body: SeenBody): readonly SeenCall[] =>
  assistants(body).flatMap(({ tool_calls: calls }) => calls ?? []);

const unknownField = (object: object, known: readonly string[]): string | undefined =>
  Object.keys(object).find((key) => !known.includes(key));

const MESSAGE_FIELDS = ['role', 'content', 'tool_calls', 'tool_call_id', 'name', 'prefix'];

const keywordIn = (schema: unknown, keywords: readonly string[]): string | undefined => {
  if (typeof schema !== 'object' || schema === null) return undefined;
  for (const [key, value] of Object.entries(schema)) {
    if (!Array.isArray(schema) && keywords.includes(key)) return key;
    const found = keywordIn(value, keywords);
    if (found !== undefined) return found;
  }
  return undefined;
};

const strict = (server: StrictServer, more: Partial<StrictServer>): StrictServer => ({
  ...server,
  ...more,
});

/** No grammar binds words and calls at once. */
const noSchemaBesideTools = (words: string) => (body: SeenBody) =>
  body['response_format'] !== undefined && (body.tools?.length ?? 0) > 0 ? words : undefined;

const local = strict(plain, {
  refusal: (body) =>
    typeof body['tool_choice'] === 'object'
      ? "Invalid tool_choice type: 'object'. Supported string values: none, auto, required"
      : noSchemaBesideTools('Cannot use custom grammar constraints with tools.')(body),
  refused: (words) => ({ status: 400, body: { error: words } }),
});

const mistralIds = ['kJ8sX2pQz', 'aB3dE5fG7'];

/** The refusals of each profile, as public issues and vendors' documentation tell of them. */
export const strictServers: Readonly<Record<ChatProfileName, StrictServer>> = {
  mistral: strict(plain, {
    refusal: (body) => {
      for (const field of ['stream_options', 'max_completion_tokens', 'reasoning_effort', 'store']) {
        if (field in body) return `${field}: Extra inputs are not permitted`;
      }
      const known = MESSAGE_FIELDS;
      for (const message of body.messages) {
        const field = unknownField(message, known);
        if (field !== undefined) return `messages.${field}: Extra inputs are not permitted`;
      }
      const odd = callsIn(body).find(({ id }) => !/^[a-zA-Z0-9]{9}$/.test(id));
      if (odd !== undefined)
        return `Tool call id was ${odd.id} but must be a-z, A-Z, 0-9, with a length of 9.`;
      const roles = body.messages.map(({ role }) => role).join(' ');
      if (roles.includes('tool user')) return "Unexpected role 'user' after role 'tool'";
      return body['tool_choice'] === 'required' ? 'tool_choice: required is not permitted' : undefined;
    },
    refused: (words) => ({
      status: 422,
      body: {
        object: 'error',
        message: { detail: [{ type: 'extra_forbidden', loc: ['body'], msg: words }] },
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
    }),
    call: (index, city) => [
      chunk({ role: 'assistant', content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }] }),
      chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: '.' }], closed: true }] }),
      chunk({ content: [{ type: 'text', text: 'Let me look.' }] }),
      chunk(
        {
          tool_calls: [
            {
              id: mistralIds[index],
              function: { name: 'weather', arguments: JSON.stringify({ city }) },
              index: 0,
            },
          ],
        },
        'tool_calls',
        { usage },
      ),
    ],
    say: (text) => [chunk({ content: [{ type: 'text', text }] }), chunk({ content: '' }, 'stop', { usage })],
  }),
  gemini: strict(plain, {
    refusal: (body) => {
      for (const message of assistants(body)) {
        const [first] = message.tool_calls ?? [];
        const signature = JSON.stringify(first?.['extra_content'] ?? null);
        if (
          first !== undefined &&
          !/"thought_signature":"(sig-|skip_thought_signature_validator)/.test(signature)
        )
          return 'Function call is missing a thought_signature in functionCall parts.';
      }
      const keyword = body.tools
        ?.map((tool) =>
          keywordIn(tool.function.parameters, [
            '$schema',
            'const',
            'additionalProperties',
            'exclusiveMinimum',
            'oneOf',
            '$ref',
            '$defs',
          ]),
        )
        .find((found) => found !== undefined);
      if (keyword !== undefined) return `Invalid JSON payload received. Unknown name "${keyword}"`;
      return noSchemaBesideTools(
        "Function calling with a response mime type: 'application/json' is unsupported",
      )(body);
    },
    refused: (words) => ({
      status: 400,
      body: [{ error: { code: 400, message: words, status: 'INVALID_ARGUMENT' } }],
    }),
    call: (index, city) => [
      chunk({
        role: 'assistant',
        tool_calls: [
          callOf(`function-call-${index}`, city, {
            extra_content: { google: { thought_signature: `sig-${index}` } },
          }),
        ],
      }),
      chunk({ role: 'assistant' }, 'stop', { usage }),
    ],
  }),
  groq: strict(plain, {
    refusal: (body) => {
      for (const [index, message] of body.messages.entries()) {
        const field = unknownField(message, MESSAGE_FIELDS);
        if (field !== undefined)
          return `'messages.${index}' : for 'role:assistant' the following must be satisfied[('messages.${index}' : property '${field}' is unsupported)]`;
      }
      return body['response_format'] === undefined
        ? undefined
        : 'response_format` does not support streaming';
    },
    call: (index, city) => [
      chunk({ role: 'assistant', reasoning: 'Hm.' }),
      chunk({ tool_calls: [callOf(`call_q${index}`, city)] }),
      chunk({}, 'tool_calls', { x_groq: { id: 'req_1', usage } }),
    ],
  }),
  deepseek: strict(plain, {
    refusal: (body) => {
      const silent = assistants(body).findIndex(
        (message) =>
          (message.tool_calls?.length ?? 0) > 0 && typeof message['reasoning_content'] !== 'string',
      );
      if (silent >= 0)
        return `Missing \`reasoning_content\` field in the assistant message at index ${silent}`;
      return JSON.stringify(body['response_format'] ?? null).includes('json_schema')
        ? 'This response_format type is unavailable now'
        : undefined;
    },
    call: (index, city) => [
      chunk({ role: 'assistant', content: null, reasoning_content: 'Hm' }),
      chunk({ reasoning_content: '.' }),
      chunk({ tool_calls: [callOf(`call_00_${index}`, city)] }),
      chunk({ content: '' }, 'tool_calls', { usage }),
    ],
  }),
  xai: strict(plain, {
    refused: (words) => ({
      status: 400,
      body: { code: 'Client specified an invalid argument', error: words },
    }),
  }),
  openrouter: strict(plain, {
    refusal: (body) => {
      const lost = assistants(body).find(
        (message) =>
          message.tool_calls?.some(({ id }) => id.startsWith('toolu_')) &&
          !JSON.stringify(message['reasoning_details'] ?? null).includes('"signature":"sealed"'),
      );
      return lost === undefined
        ? undefined
        : 'messages.1.content.0.type: Expected `thinking`, but found `tool_use`';
    },
    refused: (words) => ({
      status: 400,
      body: {
        error: {
          message: 'Provider returned error',
          code: 400,
          metadata: {
            raw: JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message: words } }),
            provider_name: 'Anthropic',
          },
        },
      },
    }),
    call: (index, city) => [
      chunk({
        role: 'assistant',
        content: '',
        reasoning: 'Hm',
        reasoning_details: [{ type: 'reasoning.text', text: 'Hm', format: 'anthropic-claude-v1', index: 0 }],
      }),
      chunk({
        content: '',
        reasoning: '.',
        reasoning_details: [{ type: 'reasoning.text', text: '.', format: 'anthropic-claude-v1', index: 0 }],
      }),
      chunk({
        content: '',
        reasoning_details: [
          { type: 'reasoning.text', signature: 'sealed', format: 'anthropic-claude-v1', index: 0 },
        ],
      }),
      chunk({ tool_calls: [callOf(`toolu_${index}`, city)] }),
      chunk({ content: '' }, 'tool_calls', { native_finish_reason: 'tool_use' }),
      chunk({ content: '' }, null, { usage }),
    ],
  }),
  together: strict(plain, {
    refusal: noSchemaBesideTools('response_format and tools are not supported together'),
    say: (text) => [chunk({ content: text }), chunk({ content: '' }, 'eos', { usage })],
  }),
  fireworks: strict(plain, {
    refusal: (body) =>
      body.tools?.some((tool) => keywordIn(tool.function.parameters, ['oneOf']) !== undefined)
        ? 'oneOf is not supported in JSON schema'
        : undefined,
    refused: (words) => ({
      status: 400,
      body: { error: { object: 'error', type: 'invalid_request_error', message: words } },
    }),
  }),
  snowflake: strict(plain, {
    refusal: (body) => ('max_tokens' in body ? 'max_tokens is not supported' : undefined),
    refused: (words) => ({
      status: 400,
      body: { message: words, request_id: 'r1', error_code: '390400' },
    }),
    call: (index, city) => [
      chunk({ role: 'assistant', tool_calls: [callOf(`tooluse_${index}`, city)] }),
      { id: 'c1', choices: [], usage },
    ],
    say: (text) => [chunk({ content: text }), { id: 'c1', choices: [], usage }],
  }),
  ollama: local,
  lmstudio: local,
  vllm: strict(plain, {
    refusal: noSchemaBesideTools('guided decoding leaves no room for calls'),
    refused: (words) => ({
      status: 400,
      body: { object: 'error', message: words, type: 'BadRequestError', param: null, code: 400 },
    }),
  }),
  llamacpp: local,
};

/** The refusals that all providers share. */
const common = (body: SeenBody): string | undefined => {
  for (const { function: declared } of body.tools ?? []) {
    const { parameters } = declared;
    const odd = ['anyOf', 'oneOf', 'allOf', 'enum', 'not'].find((key) => key in parameters);
    if (parameters['type'] !== 'object' || odd !== undefined)
      return `Invalid schema for function '${declared.name}': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.`;
  }
  const open = callsIn(body).map(({ id }) => id);
  const results = body.messages.flatMap(({ tool_call_id: id }) => (id === undefined ? [] : [id]));
  return open.join() === results.join()
    ? undefined
    : 'tool messages have to answer the tool calls before them';
};

/** A server of that profile on loopback: it calls the weather for two cities, one step each, and then says what it was told. */
export const strictServer = (
  server: StrictServer,
  cities: readonly string[] = ['Aachen', 'Bonn'],
): Promise<MockProvider> => {
  let called = 0;
  return judgingProvider((request: SeenRequest): Reply => {
    const body = seenBody(request);
    const words = common(body) ?? server.refusal(body);
    if (words !== undefined) {
      const { status, body: refused } = server.refused(words);
      return { status, pieces: [JSON.stringify(refused)] };
    }
    const city = cities[called];
    const chunks = city === undefined ? server.say('Sunny in both.') : server.call(called, city);
    called += 1;
    return { pieces: [...chunks.map((each) => event(each)), 'data: [DONE]\n\n'] };
  });
};

const seenBody = ({ body }: SeenRequest): SeenBody => {
  if (!isSeenBody(body)) throw new Error(`no chat request: ${JSON.stringify(body)}`);
  return body;
};

const isSeenBody = (body: object): body is SeenBody => 'messages' in body && Array.isArray(body.messages);
