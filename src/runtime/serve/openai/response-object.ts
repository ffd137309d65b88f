import type { AnswerEnd } from './answer-piece.ts';
import type { ResponseFacts } from './response-facts.ts';
import { answerError } from './wire-error.ts';
import type { ResponsePlace } from './wire-ids.ts';
import { approvalIdFor, messageIdFor } from './wire-ids.ts';

/** An item of a response. */
export type OutputItem = { readonly id: string; readonly type: string; readonly [field: string]: unknown };

/** The name that stands for this server where a protocol wants one of MCP. */
const LABEL = 'troupe';

/** The number of a refusal among the messages of a response, which has no other. */
const REFUSAL = 999_999;

/** A response that is under way. */
export const openResponse = (facts: ResponseFacts, status: 'queued' | 'in_progress') => ({
  ...common(facts),
  status,
  completed_at: null,
  error: null,
  incomplete_details: null,
  output: [] as readonly OutputItem[],
  usage: null,
});

/** A response whose run has ended, or waits; its output is the answer, and what the client is to do. */
export const endedResponse = (facts: ResponseFacts, place: ResponsePlace, end: AnswerEnd) => {
  const { kind, usage, at } = end;
  if (kind === 'left') return openResponse(facts, 'in_progress');
  const { input, cached, output } = usage;
  const isFailed = kind === 'failed';
  return {
    ...common(facts),
    status: statuses[kind],
    completed_at:
      kind === 'answered' || kind === 'refused' || kind === 'waiting' ? Math.floor(at / 1_000) : null,
    error: isFailed ? failureOf(end) : null,
    incomplete_details:
      kind === 'limited'
        ? { reason: 'max_output_tokens' }
        : kind === 'withheld'
          ? { reason: 'content_filter' }
          : null,
    output: outputOf(place, end),
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + output,
    },
  };
};

const statuses: Readonly<Record<Exclude<AnswerEnd['kind'], 'left'>, string>> = {
  answered: 'completed',
  refused: 'completed',
  waiting: 'completed',
  limited: 'incomplete',
  withheld: 'incomplete',
  failed: 'failed',
  aborted: 'cancelled',
};

/** The error of a response that failed: of the codes of OpenAI, all but these are about images. */
const failureOf = (end: AnswerEnd) => {
  const { code, message } = end.error ?? { code: 'internal', message: 'The run failed' };
  const isRate = answerError(end).status === 429;
  return { code: isRate ? 'rate_limit_exceeded' : 'server_error', message: `${code}: ${message}` };
};

/** The items of a response: its message, the calls of the client, and the calls that a person has to approve. */
export const outputOf = (place: ResponsePlace, end: AnswerEnd): readonly OutputItem[] => {
  const { text, kind, block } = end;
  const isSaid = text !== '' && kind !== 'failed' && kind !== 'aborted';
  const status = kind === 'limited' ? 'incomplete' : 'completed';
  const said =
    kind === 'refused'
      ? refusalItem(place, text)
      : messageItem(place, { block: block ?? 0, text, status, isAnswer: end.calls.length === 0 });
  return [...(isSaid ? [said] : []), ...requestItems(place, end)];
};

/** The items that ask the client for something. */
export const requestItems = (
  { runId }: ResponsePlace,
  { calls, requests }: AnswerEnd,
): readonly OutputItem[] => [
  ...calls.map(({ id, name, arguments: text }): OutputItem => ({
    id: id.replace(/^call/, 'fc'),
    type: 'function_call',
    status: 'completed',
    call_id: id,
    name,
    arguments: text,
  })),
  ...requests.flatMap(({ id, call }): readonly OutputItem[] =>
    call === undefined
      ? []
      : [{ id: approvalIdFor(runId, id), type: 'mcp_approval_request', server_label: LABEL, ...call }],
  ),
];

/** A message of a response. */
export const messageItem = (
  place: ResponsePlace,
  said: {
    readonly block: number;
    readonly text?: string | undefined;
    readonly status: 'in_progress' | 'completed' | 'incomplete';
    /** Undefined: not known yet. */
    readonly isAnswer?: boolean | undefined;
  },
): OutputItem => ({
  id: messageIdFor(place, said.block),
  type: 'message',
  role: 'assistant',
  status: said.status,
  ...(said.isAnswer === undefined ? {} : { phase: said.isAnswer ? 'final_answer' : 'commentary' }),
  content: said.text === undefined ? [] : [textPart(said.text)],
});

const refusalItem = (place: ResponsePlace, refusal: string): OutputItem => ({
  id: messageIdFor(place, REFUSAL),
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'refusal', refusal }],
});

/** The text of a message. */
export const textPart = (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] });

const common = ({
  id,
  createdAt,
  model,
  previous,
  instructions,
  metadata,
  isBackground,
  isStored,
  isParallel,
  tools,
  format,
}: ResponseFacts) => ({
  id,
  object: 'response',
  created_at: Math.floor(createdAt / 1_000),
  model,
  background: isBackground,
  instructions,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata,
  parallel_tool_calls: isParallel,
  previous_response_id: previous,
  reasoning: { effort: null, summary: null },
  service_tier: 'default',
  store: isStored,
  temperature: null,
  text: { format: format ?? { type: 'text' } },
  tool_choice: 'auto',
  tools,
  top_p: null,
  truncation: 'disabled',
});
