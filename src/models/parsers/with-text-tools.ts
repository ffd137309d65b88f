import { TroupeError } from '../../contracts/errors/error.ts';
import { append, emptyHistory, HistoryView } from '../../base/collections/history.ts';
import type { Model, ModelAnswer, ModelCall, ModelRequest } from '../../contracts/models/model.ts';
import type { Transcript, Turn } from '../../contracts/conversations/transcript.ts';
import { wrapModel } from '../wrap-model.ts';
import { wrapCall } from '../wrap-call.ts';
import { looseJson } from './loose-json.ts';
import type { TextParser, TextReading } from './text-parser.ts';

/** Knobs of {@link withTextTools}. */
export interface TextToolsOptions {
  /** Number of consecutive unreadable replies after which the call fails. Default 3. */
  readonly patience?: number | undefined;
}

const DEFAULT_PATIENCE = 3;

/**
 * Adds tool use to a model without native tool calls: it is taught a format, and its replies are parsed.
 *
 * To the agent nothing changes: calls are calls, with the same checks, approvals and events. An unreadable reply is
 * reported to the model, which may try again; after the third in a row the call fails. Streamed text reaches observers
 * once it is known to be an answer.
 *
 * @example
 * agent({ name: 'clerk', model: withTextTools(openaiChat('small-model'), reactParser), tools: [add] });
 *
 * @throws (as a failed call) {TroupeError} `model.malformed` after three replies in a row that cannot be read.
 */
export const withTextTools = (model: Model, parser: TextParser, options: TextToolsOptions = {}): Model =>
  wrapModel(model, (request, call) => {
    const answer = model.answer(teachRequest(request, parser), muteText(call));
    const read = (given: ModelAnswer): ModelAnswer =>
      parseAnswer(withOmissions(given, request), request, call, parser, options);
    return 'then' in answer ? answer.then(read) : read(answer);
  });

/** Converts the request to plain text. */
const teachRequest = (request: ModelRequest, parser: TextParser): ModelRequest => {
  const tools = request.toolChoice === 'none' ? [] : request.tools;
  const lesson = parser.teach({ tools, output: request.output });
  const { instructions } = request;
  const messages = inWords(request.messages, parser);
  const forced = forcedCall(request);
  return {
    instructions: instructions === '' ? lesson : `${instructions}\n\n${lesson}`,
    // At the end, as it holds for one reply: what comes before it stays in the provider's cache.
    messages: forced === undefined ? messages : new HistoryView(append<Turn>(messages.history, forced)),
    tools: [],
    settings: request.settings,
  };
};

/** A forced call in words. */
const forcedCall = ({ toolChoice }: ModelRequest): Turn | undefined => {
  if (toolChoice === 'required')
    return { role: 'user', from: 'runtime', text: 'Call a tool in your next reply.' };
  if (typeof toolChoice !== 'object') return undefined;
  return { role: 'user', from: 'runtime', text: `Call ${toolChoice.name} in your next reply.` };
};

/** Of calls in text, a provider cannot allow or forbid several. */
const withOmissions = (answer: ModelAnswer, { settings }: ModelRequest): ModelAnswer =>
  settings?.parallelCalls === undefined
    ? answer
    : { ...answer, omitted: { ...answer.omitted, parallelCalls: 'its calls are text' } };

const inWords = (messages: Transcript, parser: TextParser): Transcript => {
  const turns: Turn[] = [];
  let unreadable: string | undefined;
  for (const turn of messages) {
    if (unreadable !== undefined && turn.role === 'assistant') turns.push(mend(unreadable));
    unreadable = undefined;
    turns.push(wordsOf(turn, parser));
    if (turn.role !== 'assistant' || turn.calls !== undefined) continue;
    const read = parser.read(turn.text);
    if (read.kind === 'problem') unreadable = read.problem;
  }
  if (unreadable !== undefined) turns.push(mend(unreadable));
  return new HistoryView(append<Turn>(emptyHistory(), ...turns));
};

const mend = (problem: string): Turn => ({
  role: 'user',
  from: 'runtime',
  text: `Your last reply cannot be read as ${problem}. Write it again in the format that you were told.`,
});

const wordsOf = (turn: Turn, parser: TextParser): Turn => {
  if (turn.role === 'tool') {
    const text = parser.result(turn.tool, turn.text, turn.failed ?? false);
    const media = turn.parts?.filter(({ type }) => type !== 'text' && type !== 'data') ?? [];
    return {
      role: 'user',
      text,
      ...(media.length === 0 ? {} : { parts: [{ type: 'text', text }, ...media] }),
    };
  }
  if (turn.role === 'user' || turn.calls === undefined) return turn;
  const text = turn.text.trim() === '' ? parser.write(turn.calls) : turn.text;
  return { role: 'assistant', text };
};

/** Converts the reply to an answer with native calls. */
const parseAnswer = (
  answer: ModelAnswer,
  request: ModelRequest,
  call: ModelCall,
  parser: TextParser,
  { patience = DEFAULT_PATIENCE }: TextToolsOptions,
): ModelAnswer => {
  const { text, finish } = answer;
  const { output } = request;
  if (
    answer.refusal !== undefined ||
    finish === 'refusal' ||
    finish === 'content-filter' ||
    text.trim() === ''
  )
    return { ...answer, calls: [] };
  const reading: TextReading = parser.read(text, { tools: request.tools, isCut: finish === 'length' });
  const reasoning =
    reading.kind !== 'problem' && answer.reasoning === undefined && reading.thought !== undefined
      ? { reasoning: reading.thought }
      : {};
  if (reading.kind === 'calls' && request.toolChoice !== 'none')
    return {
      ...answer,
      ...reasoning,
      calls: reading.calls.map((each, index) => ({ id: `text_${index}`, ...each })),
      // Truncation after a complete call is harmless; a truncated call has a problem of its own.
      finish: 'tool-calls',
    };
  if (reading.kind === 'answer') {
    const said = output === undefined ? reading.answer : asJson(reading.answer);
    if (call.isWatched && said !== '') call.delta({ type: 'text', text: said });
    return { ...answer, ...reasoning, text: said, calls: [], finish: finish === 'length' ? finish : 'stop' };
  }
  const problem = reading.kind === 'problem' ? reading.problem : 'there are no tools now';
  if (finish !== 'length' && unreadableInARow(request.messages, parser) + 1 >= patience)
    throw new TroupeError(
      'model.malformed',
      `Cannot use the answer of ${answer.model ?? 'the model'} as it was unreadable ${patience} times in a row: ${problem}`,
    );
  // Kept in the conversation; the model is notified of the problem and asked again.
  return { ...answer, calls: [], finish: finish === 'length' ? finish : 'pause' };
};

const unreadableInARow = (messages: Transcript, parser: TextParser): number => {
  let count = 0;
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const turn = messages.at(at);
    if (turn?.role !== 'assistant' || turn.calls !== undefined) break;
    if (parser.read(turn.text).kind !== 'problem') break;
    count += 1;
  }
  return count;
};

const asJson = (text: string): string => {
  try {
    JSON.parse(text);
    return text;
  } catch {
    const found = looseJson(text);
    return found === undefined || found.isTruncated ? text : JSON.stringify(found.value);
  }
};

/** Text counts as progress only: it is not yet known to be an answer. */
const muteText = (call: ModelCall): ModelCall =>
  wrapCall(call, {
    delta: (delta) => {
      call.delta(delta.type === 'text' ? { type: 'progress' } : delta);
    },
  });
