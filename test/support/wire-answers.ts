import { event, type Reply } from './mock-provider.ts';
import type { WireKind } from './provider-streams.ts';

/** A call as a model writes it: its arguments are text, which may be anything. */
export interface WireCall {
  readonly name: string;
  readonly arguments: string;
  /** Default: one of its own. Empty: the provider leaves it out. */
  readonly id?: string;
}

/** What a model says, before it is put into one provider's events. */
export interface WireAnswer {
  /** One delta each. */
  readonly text?: readonly string[];
  /** What it thought, and what proves to its provider that it did. */
  readonly thinking?: { readonly text: string; readonly proof: string };
  readonly calls?: readonly WireCall[];
  /** Default: what fits the rest. */
  readonly finish?: WireFinish;
  /** Default: 10 tokens in, 5 out. Null: the provider says nothing. */
  readonly usage?: { readonly input: unknown; readonly output: unknown } | null;
  /** The model that the provider says it was. */
  readonly model?: string;
}

export type WireFinish = 'stop' | 'calls' | 'length' | 'refusal' | 'filter' | 'pause' | 'overflow';

/** The events of an answer, as the provider streams them: one string each. */
export const wireAnswer = (kind: WireKind, answer: WireAnswer): readonly string[] => {
  switch (kind) {
    case 'openai-chat':
      return chat(answer);
    case 'openai-responses':
      return responses(answer);
    case 'anthropic':
      return anthropic(answer);
  }
};

/** A reply that streams an answer whole. */
export const says = (kind: WireKind, answer: WireAnswer | string): Reply => ({
  pieces: wireAnswer(kind, typeof answer === 'string' ? { text: [answer] } : answer),
});

/** The first part of an answer's stream, up to and with its `count`th piece of text. */
export const upToText = (kind: WireKind, answer: WireAnswer, count: number): readonly string[] => {
  const all = wireAnswer(kind, answer);
  const isText = (piece: string): boolean =>
    /output_text\.delta|text_delta|"delta":\{"content":/.test(piece) && !piece.includes('thinking_delta');
  let seen = 0;
  const end = all.findIndex((piece) => isText(piece) && (seen += 1) === count);
  return all.slice(0, end + 1);
};

/** How the provider says in the middle of a stream that it has too much to do. */
export const overloaded = (kind: WireKind): string => {
  switch (kind) {
    case 'openai-chat':
      return event({ error: { message: 'Busy.', type: 'server_error' } });
    case 'openai-responses':
      return named({ type: 'error', code: 'server_error', message: 'Busy.', param: null });
    case 'anthropic':
      return named({ type: 'error', error: { type: 'overloaded_error', message: 'Busy.' } });
  }
};

/** A refusal by status; the body is in the form of both vendors. */
export const failing = (
  status: number,
  headers: Readonly<Record<string, string>> = {},
  error: object = {},
): Reply => ({
  status,
  headers,
  pieces: [JSON.stringify({ type: 'error', error: { message: 'So it is.', ...error } })],
});

const named = (data: { type: string } & Record<string, unknown>): string => event(data, data.type);

const USAGE = { input: 10, output: 5 };

const finishOf = ({ finish, calls = [] }: WireAnswer): WireFinish =>
  finish ?? (calls.length > 0 ? 'calls' : 'stop');

const idOf = ({ id }: WireCall, index: number): string => id ?? `provider_${index}`;

/** Arguments arrive in two pieces, wherever that cuts them. */
const halves = (text: string): readonly string[] => {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
};

const chat = (answer: WireAnswer): readonly string[] => {
  const { text = [], thinking, calls = [], usage = USAGE, model } = answer;
  const finish = finishOf(answer);
  const chunk = (delta: object, reason: string | null = null): string =>
    event({
      id: 'msg_1',
      ...(model === undefined ? {} : { model }),
      choices: [{ index: 0, delta, finish_reason: reason }],
    });
  const reasons: Partial<Record<WireFinish, string>> = {
    calls: 'tool_calls',
    length: 'length',
    filter: 'content_filter',
  };
  return [
    chunk({ role: 'assistant', content: '' }),
    ...(thinking === undefined ? [] : [chunk({ reasoning_content: thinking.text })]),
    ...text.map((content) => chunk(finish === 'refusal' ? { refusal: content } : { content })),
    ...calls.flatMap((call, index) => {
      const id = idOf(call, index);
      const [head, tail] = halves(call.arguments);
      return [
        chunk({
          tool_calls: [
            { index, ...(id === '' ? {} : { id }), function: { name: call.name, arguments: head } },
          ],
        }),
        chunk({ tool_calls: [{ index, function: { arguments: tail } }] }),
      ];
    }),
    chunk({}, reasons[finish] ?? 'stop'),
    ...(usage === null
      ? []
      : [event({ choices: [], usage: { prompt_tokens: usage.input, completion_tokens: usage.output } })]),
    'data: [DONE]\n\n',
  ];
};

/** An item of an answer of the Responses API. */
interface OutputItem {
  readonly type: string;
  readonly id: string;
  readonly arguments?: string;
  readonly content?: readonly { readonly type: string; readonly [field: string]: unknown }[];
  readonly summary?: readonly { readonly text: string; readonly [field: string]: unknown }[];
  readonly [field: string]: unknown;
}

/** An item as it is when it is begun. */
const begun = (item: OutputItem): OutputItem => ({
  ...item,
  ...(item.arguments === undefined ? {} : { arguments: '' }),
  ...(item.content === undefined ? {} : { content: [] }),
  ...(item.summary === undefined ? {} : { summary: [] }),
});

const deltasOf = ({ content, summary, arguments: input }: OutputItem, text: readonly string[]) => {
  if (summary !== undefined)
    return summary.map((part) => ({ type: 'response.reasoning_summary_text.delta', delta: part.text }));
  if (input !== undefined)
    return halves(input).map((delta) => ({ type: 'response.function_call_arguments.delta', delta }));
  const type = content?.[0]?.type === 'refusal' ? 'response.refusal.delta' : 'response.output_text.delta';
  return text.map((delta) => ({ type, delta }));
};

const responses = (answer: WireAnswer): readonly string[] => {
  const { text = [], thinking, calls = [], usage = USAGE, model } = answer;
  const finish = finishOf(answer);
  const whole = text.join('');
  const isCut = finish === 'length' || finish === 'filter';
  const output: readonly OutputItem[] = [
    ...(thinking === undefined
      ? []
      : [
          {
            type: 'reasoning',
            id: 'rs_1',
            summary: [{ type: 'summary_text', text: thinking.text }],
            encrypted_content: thinking.proof,
          },
        ]),
    ...(whole === ''
      ? []
      : [
          {
            type: 'message',
            id: 'msg_1',
            role: 'assistant',
            status: 'completed',
            content: [
              finish === 'refusal'
                ? { type: 'refusal', refusal: whole }
                : { type: 'output_text', text: whole, annotations: [] },
            ],
          },
        ]),
    ...calls.map((call, index) => ({
      type: 'function_call',
      id: `fc_${index}`,
      call_id: idOf(call, index),
      name: call.name,
      arguments: call.arguments,
      status: isCut && index === calls.length - 1 ? 'incomplete' : 'completed',
    })),
  ];
  const type = isCut ? 'response.incomplete' : 'response.completed';
  const reason = finish === 'length' ? 'max_output_tokens' : 'content_filter';
  return [
    named({
      type: 'response.created',
      response: { id: 'msg_1', created_at: 1, model: model ?? 'mock-model' },
    }),
    ...output.flatMap((item, index) => [
      named({ type: 'response.output_item.added', output_index: index, item: begun(item) }),
      ...deltasOf(item, text).map((piece) =>
        named({ ...piece, output_index: index, item_id: item.id, summary_index: 0, content_index: 0 }),
      ),
      named({ type: 'response.output_item.done', output_index: index, item }),
    ]),
    named({
      type,
      response: {
        id: 'resp_1',
        ...(model === undefined ? {} : { model }),
        output,
        ...(isCut ? { incomplete_details: { reason } } : {}),
        ...(usage === null ? {} : { usage: { input_tokens: usage.input, output_tokens: usage.output } }),
      },
    }),
  ];
};

const STOP_REASONS: Readonly<Record<WireFinish, string>> = {
  stop: 'end_turn',
  calls: 'tool_use',
  length: 'max_tokens',
  refusal: 'refusal',
  // This API has no other word for it.
  filter: 'refusal',
  pause: 'pause_turn',
  overflow: 'model_context_window_exceeded',
};

const anthropic = (answer: WireAnswer): readonly string[] => {
  const { text = [], thinking, calls = [], usage = USAGE, model } = answer;
  let index = -1;
  const block = (content: object, deltas: readonly object[]): readonly string[] => {
    index += 1;
    return [
      named({ type: 'content_block_start', index, content_block: content }),
      ...deltas.map((delta) => named({ type: 'content_block_delta', index, delta })),
      named({ type: 'content_block_stop', index }),
    ];
  };
  return [
    named({
      type: 'message_start',
      message: {
        id: 'msg_1',
        ...(model === undefined ? {} : { model }),
        content: [],
        ...(usage === null ? {} : { usage: { input_tokens: usage.input, output_tokens: 1 } }),
      },
    }),
    ...(thinking === undefined
      ? []
      : block({ type: 'thinking', thinking: '', signature: '' }, [
          { type: 'thinking_delta', thinking: thinking.text },
          { type: 'signature_delta', signature: thinking.proof },
        ])),
    ...(text.length === 0
      ? []
      : block(
          { type: 'text', text: '' },
          text.map((piece) => ({ type: 'text_delta', text: piece })),
        )),
    ...calls.flatMap((call, at) =>
      block(
        { type: 'tool_use', id: idOf(call, at), name: call.name, input: {} },
        halves(call.arguments).map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
      ),
    ),
    named({
      type: 'message_delta',
      delta: { stop_reason: STOP_REASONS[finishOf(answer)] },
      ...(usage === null ? {} : { usage: { output_tokens: usage.output } }),
    }),
    named({ type: 'message_stop' }),
  ];
};
