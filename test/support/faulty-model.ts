import fc from 'fast-check';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import type { ErrorCode, Retryable } from '../../src/contracts/errors/error-data.ts';
import type {
  Model,
  ModelAnswer,
  ModelCall,
  ModelDelta,
  ModelRequest,
} from '../../src/contracts/models/model.ts';
import { modelAnswer } from '../../src/contracts/models/model.ts';
import type { ToolCall } from '../../src/contracts/tools/tool-call.ts';
import { anthropicRequest } from '../../src/models/anthropic/anthropic-request.ts';
import { chatRequest } from '../../src/models/openai/chat-request.ts';
import { openaiRequest } from '../../src/models/openai/responses-request.ts';
import { toolInputs } from '../../src/models/calls/tool-inputs.ts';
import { noMedia } from '../../src/models/wire/media-bytes.ts';
import { toolNames } from '../../src/models/calls/tool-names.ts';
import type { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { requestProblems } from './provider-valid.ts';
import { never } from './runs.ts';
import { transcriptProblems } from './transcripts.ts';

/** The faults of the catalogue, as they look from the `Model` contract: what an adapter makes of them, and worse. */
export const FAULTS = [
  'F1 asked to wait',
  'F1 asked to wait too long',
  'F2 quota',
  'F3 unavailable twice',
  'F4 unavailable',
  'F5 wrong key',
  'F5 bad request',
  'F6 dies while it streams',
  'F7 network',
  'F8 ends too early',
  'F9 stalls',
  'F10 signs of life',
  'F11 malformed',
  'F12 in small pieces',
  'F13 begins anew',
  'F14 odd pieces',
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
  'F33 a page',
  'F33 no answer',
  'F34 time-out',
  'F35 no such host',
  'F36 slow',
  'F37 a flood',
  'F38 after the end',
  'F39 overtakes',
  'F40 after the run',
  'answers',
  'answers in JSON',
  'calls',
  'throws nothing',
] as const;

export type Fault = (typeof FAULTS)[number];

/**
 * The whole catalogue, by number: what stands for each fault at the `Model` contract. What adapters make of one and the
 * same (a line that is no JSON, a stream that ends too early) is one error there, and yet stands under both numbers.
 */
export const CATALOGUE: Readonly<Record<`F${number}`, readonly Fault[]>> = {
  F1: ['F1 asked to wait', 'F1 asked to wait too long'],
  F2: ['F2 quota'],
  F3: ['F3 unavailable twice'],
  F4: ['F4 unavailable'],
  F5: ['F5 wrong key', 'F5 bad request'],
  F6: ['F6 dies while it streams'],
  F7: ['F7 network'],
  // After the first words: an adapter knows that no end was said, a run that the words are to be taken back.
  F8: ['F8 ends too early'],
  F9: ['F9 stalls'],
  // Adapters keep pings to themselves, which makes it F9; a model that passes them on has its attempt's time all the same.
  F10: ['F10 signs of life'],
  F11: ['F11 malformed'],
  // What is cut within a character is put together below the contract; pieces as small as half of a pair are left of it.
  F12: ['F12 in small pieces'],
  // Our adapters fail (F8); a model that goes on says one thing in pieces, and another in its answer.
  F13: ['F13 begins anew'],
  F14: ['F14 odd pieces'],
  F15: ['F15 cut in a call'],
  F16: ['F16 odd arguments'],
  F17: ['F17 unknown tool'],
  F18: ['F18 one id twice'],
  F19: ['F19 some calls fail'],
  F20: ['F20 no id'],
  F21: ['F21 words and calls'],
  F22: ['F22 calls that stop', 'F22 no calls'],
  F23: ['F23 empty'],
  F24: ['F24 refusal', 'F24 content filter'],
  F25: ['F25 too long'],
  F26: ['F26 pause'],
  F27: ['F27 the same again'],
  F28: ['F28 says that it is done'],
  F29: ['F29 ends and calls'],
  F30: ['F30 odd usage'],
  F31: ['F31 clock'],
  F32: ['F32 another name'],
  // An adapter says that a page is no answer; a model of somebody's own hands it over.
  F33: ['F33 a page', 'F33 no answer'],
  F34: ['F34 time-out'],
  F35: ['F35 no such host'],
  F36: ['F36 slow'],
  F37: ['F37 a flood'],
  F38: ['F38 after the end'],
  F39: ['F39 overtakes'],
  F40: ['F40 after the run'],
};

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
  const replies = script.flatMap(spelledOut);
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
      const reply = replies[Math.min(requests, replies.length - 1)];
      requests += 1;
      return answerOf(reply ?? { fault: 'answers', calls: [], tokens: 1 }, request, modelCall, clock);
    },
  };
};

/** A fault that takes several requests, request by request. */
const spelledOut = (reply: FaultyReply): readonly FaultyReply[] => {
  if (reply.fault !== 'F3 unavailable twice') return [reply];
  return [...Array<Fault>(2).fill('F4 unavailable'), 'calls' as const].map((fault) => ({ ...reply, fault }));
};

/** Why a provider would refuse a request: by the conversation itself, and by the bodies that our adapters make of it. */
const problemsOf = (request: ModelRequest): readonly string[] => {
  const names = toolNames(request.tools.map(({ name }) => name));
  const wire = { request, names, inputs: toolInputs(request.tools), media: noMedia };
  const who = { provider: 'openai', model: 'gpt-4o' } as const;
  return [
    ...transcriptProblems([...request.messages]),
    ...requestProblems({ path: '/v1/messages', body: { ...anthropicRequest('claude-x', wire) } }),
    ...requestProblems({ path: '/v1/responses', body: { ...openaiRequest('gpt-4o', wire) } }),
    ...requestProblems({
      path: '/v1/chat/completions',
      body: { ...chatRequest({ ...wire, who }, { profile: { name: 'compatible' }, isStreamed: true }) },
    }),
  ];
};

const answerOf = (
  { fault, calls, tokens }: FaultyReply,
  { messages }: ModelRequest,
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
    case 'F8 ends too early':
      delta({ type: 'text', text: 'Once upon' });
      return Promise.reject(failure('model.malformed', 'yes', {}));
    case 'F10 signs of life': {
      const ping = (): void => {
        if (signal.aborted) return;
        delta({ type: 'progress' });
        clock.setTimeout(ping, 60_000);
      };
      delta({ type: 'text', text: 'Once' });
      ping();
      return never();
    }
    case 'F12 in small pieces':
      // Half of a pair is no character, and comes all the same.
      for (const text of SMALL.split('')) delta({ type: 'text', text });
      return said({ text: SMALL });
    case 'F13 begins anew':
      for (const text of ['Once ', 'Twice ', 'upon a time']) delta({ type: 'text', text });
      return said({ text: 'Twice upon a time' });
    case 'F14 odd pieces':
      // As they come from JavaScript.
      for (const piece of ODD_PIECES) delta(piece as ModelDelta);
      return said({ text: 'As I said.' });
    case 'F33 a page':
      return Promise.reject(failure('model.malformed', 'yes', { status: 200 }));
    case 'F33 no answer':
      return NO_ANSWERS[tokens % NO_ANSWERS.length] as ModelAnswer;
    case 'F34 time-out':
      return Promise.reject(failure('model.timeout', 'yes', {}));
    case 'F35 no such host':
      throw failure('model.network', tokens % 2 === 0 ? 'yes' : 'no', {});
    case 'F39 overtakes':
      // Who asks first is answered last, and each is answered its own question.
      return later(MINUTE_MS - (clock.now() % MINUTE_MS), said({ text: `To ${messages.at(0)?.text ?? ''}` }));
    case 'F40 after the run':
      return later(100 * MINUTE_MS, said({ text: 'Still interested?' }));
    case 'F3 unavailable twice':
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

/** What is shown for {@link FAULTS} F12: characters of one to four bytes. */
export const SMALL = 'Grüße 👋🏽, 世界!';

const MINUTE_MS = 60_000;

const ODD_PIECES: readonly unknown[] = [
  { type: 'hologram', text: 'light' },
  { type: 'text' },
  { type: 'text', text: 7 },
  {},
  null,
  undefined,
  'text',
];

const NO_ANSWERS: readonly unknown[] = ['<html>Welcome</html>', null, undefined, {}, [], 200];

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
