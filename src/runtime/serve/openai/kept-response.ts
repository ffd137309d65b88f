import { isLogged } from '../../../contracts/events/is-logged.ts';
import type { GivenPart } from '../../../contracts/content/part.ts';
import type { Turn } from '../../../contracts/conversations/transcript.ts';
import type { RuntimeEvent } from '../../../contracts/events/event.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import { beganIn } from '../../journal/resume/stored-run.ts';
import type { FoundRun } from '../runs/live-run.ts';
import { StoredRecords } from '../runs/stored-events.ts';
import type { Caller } from '../serve-options.ts';
import type { Serving } from '../serving.ts';
import { eventRedactor } from '../streams/event-redactor.ts';
import { pastEvents } from '../watching.ts';
import type { AnswerEnd, AnswerPiece } from './answer-piece.ts';
import type { Answering } from './answering.ts';
import { foldOf } from './answering.ts';
import { agentOf, findOr } from './continue-answer.ts';
import type { ResponseFacts } from './response-facts.ts';
import { turnsOfRun } from './run-turns.ts';
import type { ResponseServing } from './response-serving.ts';
import { readResponseId } from './wire-ids.ts';

/** A response that was made before. */
export interface KeptResponse {
  readonly facts: ResponseFacts;
  readonly answering: Answering;
}

/** The error for a response that there is not, or that is another tenant's. */
const unknownResponse = (param: string | undefined, id: string): TroupeError =>
  new TroupeError('journal.unknown', 'Cannot find the response as there is none of that id', {
    details: { ...(param === undefined ? {} : { param }), code: 'response_not_found', id },
  });

/** Finds a response of the caller's tenant. @throws {TroupeError} `journal.unknown` */
export const findResponse = async (
  serving: ResponseServing,
  id: string,
  caller: Caller,
  param?: string,
): Promise<KeptResponse> => {
  const place = readResponseId(id);
  if (place === undefined) throw unknownResponse(param, id);
  const found = await findOr(serving, place.runId, caller, () => unknownResponse(param, id));
  const facts = await serving.book.read(id);
  if (facts === undefined) throw unknownResponse(param, id);
  const agent = agentOf(serving, found);
  return { facts, answering: { found, place, after: facts.after, agent, schema: undefined } };
};

/** An answer as far as it is made: its pieces, and the events that it is made of. */
export interface AnswerSoFar {
  readonly pieces: readonly AnswerPiece[];
  readonly events: readonly RuntimeEvent[];
  /** Undefined while it is under way. */
  readonly end: AnswerEnd | undefined;
}

/** Reads an answer as far as it is made. */
export const answerSoFar = async (serving: Serving, answering: Answering): Promise<AnswerSoFar> => {
  const fold = foldOf(serving, answering);
  const redact = eventRedactor(serving.redactor.secrets);
  const events: RuntimeEvent[] = [];
  const pieces: AnswerPiece[] = [];
  for (const event of (await pastEvents(serving, answering.found)).flatMap(redact).filter(isLogged)) {
    pieces.push(...fold.take(event));
    if (fold.isOver && event.type !== 'run.ended') break;
    events.push(event);
  }
  if (fold.isWaiting) pieces.push(...fold.pause());
  const last = pieces.at(-1);
  return { pieces, events, end: last?.type === 'ended' ? last.end : undefined };
};

/** The conversation up to the end of a response, without its instructions, which are for that response alone. */
export const conversationOf = async (
  serving: Serving,
  { facts, answering }: KeptResponse,
  events: readonly RuntimeEvent[],
): Promise<readonly Turn<GivenPart>[]> => {
  const before = await historyOf(serving, answering.found);
  const { instructions } = facts;
  const at = before.findLastIndex(
    (turn) => turn.role === 'user' && turn.from === 'client' && turn.text === instructions,
  );
  const turns = [...before.filter((_, index) => index !== at), ...turnsOfRun(events)];
  const { store, run } = serving;
  const keepsMedia = store !== undefined || run.content?.blobs !== undefined;
  return keepsMedia ? turns : turns.map(withoutMedia);
};

/** The conversation that a run continued. */
const historyOf = async ({ store }: Serving, found: FoundRun): Promise<readonly Turn<GivenPart>[]> => {
  if (store === undefined) return found.live?.history ?? [];
  const { runId } = found.live ?? found.stored;
  return beganIn(runId, await new StoredRecords(store, runId).next()).history ?? [];
};

/** Without a store the bytes of a run are gone with it: its texts name them. */
const withoutMedia = (turn: Turn<GivenPart>): Turn<GivenPart> => {
  const { parts, ...rest } = turn;
  return parts?.some((part) => 'hash' in part) === true ? rest : turn;
};
