import { oneLine } from '../base/text/printable.ts';
import type { Json } from '../base/json/json.ts';
import { contentText } from '../contracts/content/part.ts';
import { errorData, isTroupeError, toError, TroupeError } from '../contracts/errors/error.ts';
import type { Model, ModelAnswer, ModelCall, ModelRequest } from '../contracts/models/model.ts';
import { modelAnswer } from '../contracts/models/model.ts';
import type { EnginePlace } from '../contracts/agents/strategy.ts';
import type { HarnessSession } from './harness-session.ts';
import { promptCall } from './prompt-tool.ts';
import type { Sessions } from './sessions.ts';
import type { PromptTools, Told } from './told.ts';
import { ENDED, partsOf, readTold } from './told.ts';
import type { Stage, Turn } from './turn.ts';

/** The parts of its definition that the model of a coding agent needs. */
export interface HarnessPlan {
  readonly name: string;
  readonly sessions: Sessions;
  readonly onInterrupted: 'ask' | 'again';
}

const CONTINUE =
  'The connection to you was lost while you worked. Look at what you have done so far, and finish the task from there.';

/**
 * The model of a coding agent: it decides what its agent does next, which is to send a prompt, or to do what the agent outside asks for, or to
 * answer with what that says.
 *
 * I1 What was sent is read from the conversation, which is on record; only the turn under way lives in the process.
 */
export const harnessModel = (plan: HarnessPlan, place: EnginePlace): Model => {
  const names: PromptTools = { prompt: `${plan.name}.prompt`, promptAgain: `${plan.name}.prompt_again` };
  return {
    provider: 'acp',
    id: plan.name,
    takes: { media: ['*'], links: ['*'] },
    answer: async (request, call) => {
      const told = readTold(request.messages, names);
      const seat = plan.sessions.at(place);
      const turn = seat?.session.turn;
      if (seat?.lost !== undefined) {
        place.lost(seat.lost);
        seat.lost = undefined;
      }
      if (told.failed !== undefined && turn === undefined) throw failureOf(seat?.failure, told.failed);
      if (seat !== undefined && turn !== undefined) return listen(seat.session, turn, told, plan, call);
      return ask(nextPrompt(told, request, plan, place, names));
    },
  };
};

const failureOf = (thrown: unknown, text: string): TroupeError =>
  isTroupeError(thrown)
    ? thrown
    : new TroupeError('acp.lost', `Cannot prompt the coding agent as that failed: ${text}`);

/** A call that sends a prompt. */
interface NextPrompt {
  readonly tool: string;
  readonly input: Json;
}

const ask = ({ tool, input }: NextPrompt): ModelAnswer =>
  modelAnswer({
    calls: [{ id: 'prompt', name: tool, input: input }],
    usage: { input: 0, output: 1, isEstimate: true },
  });

/** The next prompt: what was not sent, or, of a turn that was interrupted, the rest of it. */
const nextPrompt = (
  told: Told,
  request: ModelRequest,
  { name, onInterrupted }: HarnessPlan,
  { runId }: EnginePlace,
  names: PromptTools,
): NextPrompt => {
  const { sent, input, unsent, hasEnded } = told;
  const isInterrupted = sent !== undefined && !hasEnded && (sent.run === runId || unsent.length === 0);
  if (isInterrupted && input !== undefined) {
    if (sent.loads)
      return { tool: names.prompt, input: promptCall({ prompt: CONTINUE, session: sent.session }) };
    return { tool: onInterrupted === 'again' ? names.prompt : names.promptAgain, input };
  }
  const parts = partsOf(unsent);
  const prompt = contentText(parts);
  if (parts.every((part) => part.type === 'text' && part.text.trim() === ''))
    throw new TroupeError(
      'input.invalid',
      `Cannot ask '${name}' as the prompt is empty: ${JSON.stringify(prompt)}`,
    );
  const form = formOf(request);
  const isPlain = parts.every(({ type }) => type === 'text');
  return {
    tool: names.prompt,
    input: promptCall({
      prompt: `${isPlain ? textsOf(parts) : prompt}${form}`,
      ...(isPlain ? {} : { parts: form === '' ? parts : [...parts, { type: 'text', text: form }] }),
      ...(request.instructions.trim() === '' ? {} : { instructions: request.instructions }),
      ...(sent === undefined ? {} : { session: sent.session }),
    }),
  };
};

const textsOf = (parts: ReturnType<typeof partsOf>): string =>
  parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');

/** The form of the answer, in words, where the agent has an output schema. */
const formOf = ({ output }: ModelRequest): string =>
  output === undefined
    ? ''
    : `\n\nWhen you are done, answer with one JSON value of this JSON Schema, and nothing else:\n${JSON.stringify(output.schema)}`;

/** Waits for the next stage of a turn, and answers with it. What ends the call ends the session. */
const listen = async (
  session: HarnessSession,
  turn: Turn,
  told: Told,
  plan: HarnessPlan,
  call: ModelCall,
): Promise<ModelAnswer> => {
  // A call that has a result and left its demand open was denied, or never ran.
  for (const demand of turn.handedOut) demand.refuse('it was denied');
  const { signal } = call;
  const stop = (): void => void session.close();
  signal.addEventListener('abort', stop);
  try {
    const stage = await turn.next(call.delta);
    return answerOf(stage, turn, session, told, plan);
  } catch (thrown) {
    session.finishTurn();
    void session.close();
    // What the conversation would have cost a model says nothing of this one.
    throw toError({ ...errorData(thrown, 'acp.failed'), spent: session.usage.ofStage(0, true) });
  } finally {
    signal.removeEventListener('abort', stop);
  }
};

const answerOf = (
  stage: Stage,
  turn: Turn,
  session: HarnessSession,
  told: Told,
  { name }: HarnessPlan,
): ModelAnswer => {
  const { text, reasoning, worked, demands, end } = stage;
  const said = {
    text,
    ...(reasoning === '' ? {} : { reasoning }),
    ...(worked.length === 0 ? {} : { providerCalls: worked }),
    usage: session.usage.ofStage(text.length + reasoning.length, end !== undefined),
  };
  if (demands.length > 0)
    return modelAnswer({
      ...said,
      calls: demands.map(({ id, tool, input }) => ({ id, name: `${name}.${tool}`, input })),
    });
  if (end === undefined) return modelAnswer({ ...said, finish: 'pause' });
  session.finishTurn();
  const ended = { ...said, replay: ENDED };
  switch (end.stopReason) {
    case 'end_turn':
      if (told.unsent.length > 0) return modelAnswer({ ...ended, finish: 'pause' });
      return modelAnswer({ ...ended, text: text.trim() === '' ? turn.lastText : text });
    case 'max_tokens':
      return modelAnswer({ ...ended, finish: 'length' });
    case 'refusal':
      return modelAnswer({
        ...ended,
        finish: 'refusal',
        refusal: text.trim() || `'${name}' refused to continue.`,
      });
    case 'max_turn_requests':
      throw new TroupeError(
        'acp.failed',
        `Cannot finish as '${name}' has made all the requests that it may make in a turn: ${lastWords(text, turn)}`,
      );
    default:
      throw new TroupeError(
        'acp.failed',
        `Cannot finish as '${name}' ended its turn by '${end.stopReason}': ${lastWords(text, turn)}`,
      );
  }
};

const lastWords = (text: string, turn: Turn): string => JSON.stringify(oneLine(text.trim() || turn.lastText));
