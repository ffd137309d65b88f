import { canonical } from '../../base/json/canonical.ts';
import type { RuntimeEvent } from '../../contracts/events/event.ts';
import type { JournalRecord } from '../../contracts/journals/journal-record.ts';
import { toJson } from '../../base/json/json.ts';
import { sha256 } from '../../base/sha256.ts';
import type { Usage } from '../../contracts/models/usage.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';
import { oneLine, printable } from '../../base/text/printable.ts';
import { sentRequestsOf } from '../../runtime/journal/replay/sent-records.ts';
import type { WholeRequest } from '../../runtime/log/sent-requests.ts';
import { SentRequests, withSent } from '../../runtime/log/sent-requests.ts';
import { several, withThousands, lasting } from '../../base/text/number-words.ts';
import type { Paint } from '../terminal/paint.ts';
import { wrong } from '../usage/wrong-usage.ts';

type Answered = Extract<RuntimeEvent, { type: 'model.answered' }>;

/** A model call in a journal. */
export interface StoredCall {
  readonly key: string;
  readonly model: string;
  /** Undefined where it was not recorded. */
  readonly request: WholeRequest | undefined;
  /** Undefined if there was none. */
  readonly answer: Answered | undefined;
  /** The error, where it failed. */
  readonly failure: string | undefined;
}

/**
 * Finds the model call that `wanted` names: by its key, by the last part of it, or by its number, from 1.
 *
 * @throws {TroupeError} `command.usage` if there is none, or several.
 */
export const storedCall = (
  { runId, events, records }: { readonly runId: string } & Recorded,
  wanted: string,
): StoredCall => {
  const asked = events.filter((event) => event.type === 'model.asked');
  const { key } = pickCall(asked, wanted);
  const sent = sentRequestsOf(records, runId);
  const requests = new SentRequests();
  let call: StoredCall | undefined;
  for (const event of events) {
    if (event.type === 'model.asked') {
      const whole = withSent(event, sent);
      if (event.key !== key) requests.note(whole);
      else
        call = {
          key,
          model: event.model,
          request: requests.take(whole),
          answer: undefined,
          failure: undefined,
        };
    } else if (call !== undefined && event.type === 'model.answered' && event.key === key)
      call = { ...call, answer: withSent(event, sent) };
    else if (call !== undefined && event.type === 'model.failed' && event.key === key)
      call = { ...call, failure: event.error.message };
  }
  return call ?? { key, model: '', request: undefined, answer: undefined, failure: undefined };
};

interface Recorded {
  readonly events: readonly RuntimeEvent[];
  readonly records: readonly JournalRecord[];
}

type Asked = Extract<RuntimeEvent, { type: 'model.asked' }>;

const pickCall = (asked: readonly Asked[], wanted: string): Asked => {
  const byNumber = /^\d{1,9}$/.test(wanted) ? asked[Number(wanted) - 1] : undefined;
  const found = byNumber === undefined ? asked.filter(({ key }) => key.endsWith(wanted)) : [byNumber];
  const keys = new Set(found.map(({ key }) => key));
  const [only] = found;
  if (only !== undefined && keys.size === 1) return only;
  const problem =
    only === undefined
      ? `--call names no model call of the run: '${oneLine(wanted)}'. It has ${several(asked.length, 'call')}: give a number from 1, or the end of a key`
      : `--call '${oneLine(wanted)}' matches several keys: ${[...keys]
          .slice(0, 5)
          .map((key) => oneLine(key))
          .join(', ')}`;
  throw wrong(problem, 'show');
};

/** Formats a model call with its whole request and answer. */
export const callLines = (call: StoredCall, paint: Paint): readonly string[] => [
  `${paint.bold(oneLine(call.key))} · ${oneLine(call.model)}`,
  '',
  ...requestLines(call.request, paint),
  ...answerLines(call, paint),
];

const requestLines = (request: WholeRequest | undefined, paint: Paint): readonly string[] => {
  if (request === undefined)
    return [paint.yellow('The request is not on record: the run was stored by an earlier version.'), ''];
  const { instructions, tools, messages, output, settings, toolChoice, hashes } = request;
  const fresh = messages.filter(({ isNew }) => isNew).length;
  return [
    `${paint.bold('Instructions')} ${paint.dim(short(hashes.instructions))}`,
    ...indent(instructions === '' ? 'none' : instructions),
    `${paint.bold('Tools')} ${paint.dim(`${withThousands(tools.length)} · ${short(hashes.tools)}`)}`,
    ...tools.flatMap((spec) => indent(JSON.stringify(spec))),
    ...(output === undefined ? [] : [paint.bold('Output'), ...indent(JSON.stringify(output))]),
    ...(settings === undefined ? [] : [paint.bold('Settings'), ...indent(JSON.stringify(settings))]),
    ...(toolChoice === undefined ? [] : [paint.bold('Tool choice'), ...indent(JSON.stringify(toolChoice))]),
    `${paint.bold('Messages')} ${paint.dim(`${withThousands(messages.length)}, ${withThousands(fresh)} new since the last call`)}`,
    ...messages.flatMap(({ turn, isNew }, index) => [
      `  ${isNew ? paint.green('+') : ' '} ${index + 1} ${turnHead(turn)} ${paint.dim(short(hashOf(turn)))}`,
      ...indent(turnText(turn)),
    ]),
    '',
  ];
};

const answerLines = ({ answer, failure }: StoredCall, paint: Paint): readonly string[] => {
  if (answer === undefined)
    return [paint.red(failure === undefined ? 'No answer came.' : `✗ ${oneLine(failure, 1_000)}`)];
  const { text, reasoning, usage, finish, durationMs, raw, model, omitted = {}, providerCalls = [] } = answer;
  const { cached: kept } = answer;
  const read = usage.cached === undefined ? '' : `, ${withThousands(usage.cached)} of them from the cache`;
  const cached = usage.stored === undefined ? read : `${read}, ${withThousands(usage.stored)} into it`;
  const took = `${withThousands(usage.input)} tokens in${cached} · ${withThousands(usage.output)} out · ${lasting(durationMs)}`;
  return [
    `${paint.bold('Answer')} ${paint.dim(`${oneLine(model)} · ${finish} · ${took}`)}`,
    ...(kept === undefined ? [] : [paint.yellow(`  ${keptWords(kept.usage)}`)]),
    ...Object.entries(omitted).map(([setting, why]) => paint.yellow(`  asked without ${setting}: ${why}`)),
    ...providerCalls.flatMap(({ tool, input, problem }) => [
      ...indent(`run by the provider: ${oneLine(tool)} ${JSON.stringify(input ?? {})}`),
      ...(problem === undefined ? [] : [paint.yellow(`    failed: ${oneLine(problem, 1_000)}`)]),
    ]),
    ...(reasoning === undefined ? [] : ['  reasoning:', ...indent(reasoning)]),
    ...(text === '' ? [] : indent(text)),
    ...(raw?.calls ?? []).flatMap((each) => indent(JSON.stringify(each))),
    ...(raw?.refusal === undefined ? [] : [`  refusal: ${oneLine(raw.refusal, 1_000)}`]),
    ...(raw?.replay === undefined
      ? []
      : ['  to be sent back unchanged:', ...indent(JSON.stringify(raw.replay))]),
    ...(raw?.metadata === undefined ? [] : ['  metadata:', ...indent(JSON.stringify(raw.metadata))]),
  ];
};

/** Of an answer from a cache: what it took when its model was asked. */
const keptWords = ({ input, output }: Usage): string =>
  `from a cache, the model was not asked; it took ${withThousands(input)} tokens in, ${withThousands(output)} out`;

const hashOf = (turn: Turn): string => sha256(canonical(toJson(turn)));

const short = (hash: string): string => `sha256 ${hash.slice(0, 12)}`;

const turnHead = (turn: Turn): string => {
  if (turn.role === 'tool') return `tool ${oneLine(turn.tool)}${turn.failed === true ? ' (failed)' : ''}`;
  return turn.role === 'user' && turn.from !== undefined ? `user from ${oneLine(turn.from)}` : turn.role;
};

const turnText = (turn: Turn): string => {
  if (turn.role !== 'assistant' || (turn.calls ?? []).length === 0) return turn.text;
  const calls = (turn.calls ?? []).map(({ name, input }) => `→ ${name} ${JSON.stringify(input)}`);
  return [...(turn.text === '' ? [] : [turn.text]), ...calls].join('\n');
};

const indent = (text: string): readonly string[] =>
  printable(text)
    .split('\n')
    .map((line) => `    ${line}`);
