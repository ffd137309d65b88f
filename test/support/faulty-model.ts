import fc from 'fast-check';
import { TroupeError } from '../../src/contracts/error.ts';
import type { ErrorCode, Retryable } from '../../src/contracts/error.ts';
import type { Model, ModelAnswer, ModelCall, ModelRequest } from '../../src/contracts/model.ts';
import { modelAnswer } from '../../src/contracts/model.ts';
import type { ToolCall } from '../../src/contracts/tool.ts';
import { anthropicRequest } from '../../src/models/anthropic-request.ts';
import { chatRequest } from '../../src/models/openai-chat-request.ts';
import { openaiRequest } from '../../src/models/openai-request.ts';
import { toolNames } from '../../src/models/tool-names.ts';
import type { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { requestProblems } from './provider-valid.ts';
import { never } from './runs.ts';
import { transcriptProblems } from './transcripts.ts';

/** The faults of the catalogue, as they look from the `Model` contract: what an adapter makes of them, and worse. */
export const FAULTS = [
  'F1 asked to wait',
  'F1 asked to wait too long',
  'F2 quota',
  'F4 unavailable',
  'F5 wrong key',
  'F5 bad request',
  'F6 dies while it streams',
  'F7 network',
  'F9 stalls',
  'F11 malformed',
  'F15 cut in a call',
  'F16 odd arguments',
  'F17 unknown tool',
  'F18 one id twice',
  'F19 some calls fail',
  'F20 no id',
  'F21 words and calls',
  'F22 calls that stop',
  'F22 no calls',
  'F23 empty',
  'F24 refusal',
  'F24 content filter',
  'F25 too long',
  'F26 pause',
  'F27 the same again',
  'F28 says that it is done',
  'F29 ends and calls',
  'F30 odd usage',
  'F31 clock',
  'F32 another name',
  'F36 slow',
  'F37 a flood',
  'F38 after the end',
  'answers',
  'answers in JSON',
  'calls',
  'throws nothing',
] as const;

export type Fault = (typeof FAULTS)[number];

/** One reply of a model that follows a script of faults. */
export interface FaultyReply {
  readonly fault: Fault;
  readonly calls: readonly ToolCall[];
  readonly tokens: number;
}

/** Arguments that models really sent (F16). */
const ARGUMENTS: readonly unknown[] = [
  {},
  { text: 'x' },
  { text: 5 },
  { text: 'x', more: true },
  '{"text":"x"}',
  '{"text":',
  '',
  null,
  [],
  7,
  true,
  Infinity,
  JSON.parse('{"__proto__":{"text":"x"},"text":"y"}'),
  { text: 'x'.repeat(5_000) },
  JSON.parse(`${'{"text":'.repeat(300)}1${'}'.repeat(300)}`),
];

const call: fc.Arbitrary<ToolCall> = fc
  .record({
    id: fc.constantFrom('call_1', 'call_2', '', 'ünlegal id', 'x'.repeat(100)),
    name: fc.constantFrom('echo', 'echo', 'echo', 'fails', 'alone', 'slow', 'complete', 'functions.echo', ''),
    input: fc.constantFrom(...ARGUMENTS),
  })
  // What no type allows, and models send: said once, here.
  .map((given) => given as unknown as ToolCall);

/** Replies; ordinary ones are likelier, so that runs come far enough to meet the others late. */
export const faultyReply: fc.Arbitrary<FaultyReply> = fc.record({
  fault: fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom<Fault>('calls', 'F19 some calls fail', 'F27 the same again') },
    { weight: 3, arbitrary: fc.constantFrom<Fault>(...FAULTS) },
  ),
  calls: fc.array(call, { minLength: 1, maxLength: 4 }),
  tokens: fc.nat({ max: 400 }),
});

/** A model that does what its script says, reply by reply; at the end of the script it goes on with the last. */
export interface FaultyModel extends Model {
  /** What was wrong with the requests that it got: empty if both providers would take each of them. */
  readonly problems: readonly string[];
  readonly requests: number;
}

export const faultyModel = (id: string, script: readonly FaultyReply[], clock: VirtualClock): FaultyModel => {
  const problems: string[] = [];
  let requests = 0;
  return {
    provider: 'faulty',
    id,
    isLanguageModel: false,
    problems,
    get requests() {
      return requests;
    },
    answer: (request, modelCall) => {
      problems.push(...problemsOf(request).map((problem) => `request ${requests}: ${problem}`));
      const reply = script[Math.min(requests, script.length - 1)];
      requests += 1;
      return answerOf(reply ?? { fault: 'answers', calls: [], tokens: 1 }, modelCall, clock);
    },
  };
};

/** Why a provider would refuse a request: by the conversation itself, and by the bodies that our adapters make of it. */
const problemsOf = (request: ModelRequest): readonly string[] => {
  const names = toolNames(request.tools.map(({ name }) => name));
  const who = { provider: 'openai', model: 'gpt-4o' } as const;
  return [
    ...transcriptProblems([...request.messages]),
    ...requestProblems({ path: '/v1/messages', body: { ...anthropicRequest('claude-x', request, names) } }),
    ...requestProblems({ path: '/v1/responses', body: { ...openaiRequest('gpt-4o', request, names) } }),
    ...requestProblems({ path: '/v1/chat/completions', body: { ...chatRequest(who, request, names) } }),
  ];
};

const answerOf = (
  { fault, calls, tokens }: FaultyReply,
  { delta, signal }: ModelCall,
  clock: VirtualClock,
): ModelAnswer | Promise<ModelAnswer> => {
  const usage = { input: tokens, output: tokens };
  const said = (parts: Partial<ModelAnswer>): ModelAnswer => modelAnswer({ usage, ...parts });
  const later = (ms: number, answer: ModelAnswer): Promise<ModelAnswer> =>
    new Promise((resolve) => {
      clock.setTimeout(() => {
        resolve(answer);
      }, ms);
    });
  switch (fault) {
    case 'F1 asked to wait':
      throw failure('model.rate-limited', 'yes', { retryAfterMs: 1_500, status: 429 });
    case 'F1 asked to wait too long':
      throw failure('model.rate-limited', 'yes', { retryAfterMs: 3_000_000_000, status: 429 });
    case 'F2 quota':
      throw failure('model.quota', 'no', { status: 429 });
    case 'F4 unavailable':
      return Promise.reject(failure('model.unavailable', 'yes', { status: 529 }));
    case 'F5 wrong key':
      throw failure('model.auth', 'no', { status: 401 });
    case 'F5 bad request':
      throw failure('model.bad-request', 'no', { status: 400 });
    case 'F6 dies while it streams':
      for (const text of ['Once ', 'upon ', 'a']) delta({ type: 'text', text });
      return Promise.reject(failure('model.unavailable', 'yes', {}));
    case 'F7 network':
      return Promise.reject(failure('model.network', 'yes', {}));
    case 'F9 stalls':
      delta({ type: 'text', text: 'Once' });
      return never();
    case 'F11 malformed':
      throw failure('model.malformed', 'yes', {});
    case 'F15 cut in a call':
      return said({ calls, finish: 'length' });
    case 'F16 odd arguments':
    case 'F17 unknown tool':
    case 'F18 one id twice':
    case 'F19 some calls fail':
    case 'F20 no id':
    case 'calls':
      return said({ calls: shaped(fault, calls) });
    case 'F21 words and calls':
      return said({ text: 'Let me look.', calls });
    case 'F22 calls that stop':
      return said({ calls, finish: 'stop' });
    case 'F22 no calls':
      return said({ calls: [], finish: 'tool-calls' });
    case 'F23 empty':
      return said({ text: tokens % 2 === 0 ? '' : ' \n' });
    case 'F24 refusal':
      return said({ refusal: 'I will not.', finish: 'refusal' });
    case 'F24 content filter':
      return said({ finish: 'content-filter' });
    case 'F25 too long':
      throw failure('model.context-overflow', 'maybe', { status: 400 });
    case 'F26 pause':
      return said({ text: 'Hold on.', finish: 'pause', replay: { provider: 'faulty', content: [] } });
    case 'F27 the same again':
      return said({ calls: [{ id: 'again', name: 'echo', input: { text: 'again' } }] });
    case 'F28 says that it is done':
      return said({ text: 'Done, I have called all the tools.' });
    case 'F29 ends and calls':
      return said({
        calls: [...calls, { id: 'end', name: 'complete', input: { answer: 'Done.' } }],
      });
    case 'F30 odd usage':
      // As it comes from JavaScript.
      return said({ text: 'Well.', calls, usage: ODD_USAGES[tokens % ODD_USAGES.length] as never });
    case 'F31 clock':
    case 'F36 slow':
      return later(tokens * 1_000, said({ text: 'At last.' }));
    case 'F32 another name':
      return said({ text: 'It was me.', model: 'another' });
    case 'F37 a flood':
      for (let count = 0; count < 300; count += 1) delta({ type: 'text', text: 'flood ' });
      return said({ text: 'flood '.repeat(300) });
    case 'F38 after the end':
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          delta({ type: 'text', text: 'still here' });
          resolve(said({ text: 'too late' }));
        });
      });
    case 'answers':
      return said({ text: 'The answer.' });
    case 'answers in JSON':
      return said({ text: '{"answer":"It is so."}' });
    case 'throws nothing':
      // A lint rule forbids it, and libraries do it.
      return Promise.reject(undefined as unknown as Error);
  }
};

const ODD_USAGES: readonly unknown[] = [
  undefined,
  null,
  { input: Number.NaN, output: -5 },
  { input: Infinity, output: 3 },
  {},
  { input: '12', output: null },
];

const shaped = (fault: Fault, calls: readonly ToolCall[]): readonly ToolCall[] => {
  switch (fault) {
    case 'F17 unknown tool':
      return calls.map((each) => ({ ...each, name: 'no.such/tool' }));
    case 'F18 one id twice':
      return [...calls, ...calls].map((each) => ({ ...each, id: 'same', name: 'echo' }));
    case 'F20 no id':
      return calls.map((each) => ({ ...each, id: '' }));
    case 'F19 some calls fail':
      return calls.flatMap((each) => [
        { ...each, name: 'fails' },
        { id: `${each.id}b`, name: 'echo', input: { text: 'x' } },
      ]);
    case 'calls':
      return calls.map((each, index) => ({ id: `c${index}`, name: 'echo', input: { text: each.name } }));
    default:
      return calls;
  }
};

const failure = (
  code: ErrorCode,
  retryable: Retryable,
  facts: { readonly retryAfterMs?: number; readonly status?: number },
): TroupeError =>
  new TroupeError(code, `Cannot answer as the test says so: ${code}`, { retryable, ...facts });
