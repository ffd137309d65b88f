import type { Json, JsonObject } from '../../../base/json/json.ts';
import { toJson } from '../../../base/json/json.ts';
import type { Content, GivenPart } from '../../../contracts/content/part.ts';
import type { Turn } from '../../../contracts/conversations/transcript.ts';
import type { ClientTool } from '../../../contracts/tools/client-tool.ts';
import { onSignal } from '../../run/shared-signal.ts';
import { keyOf } from '../http/idempotency-key.ts';
import { refusal } from '../http/refusal.ts';
import type { FoundRun } from '../runs/live-run.ts';
import type { ServedAgent } from '../runs/served-names.ts';
import type { Admitted, Serving } from '../serving.ts';
import { pausedParts } from '../streams/paused-texts.ts';
import { eventsOf } from '../watching.ts';
import { AnswerFold } from './answer-fold.ts';
import type { AnswerEnd, AnswerPiece } from './answer-piece.ts';
import { textOf } from './read-parts.ts';
import { readFormat } from './read-tools.ts';
import { paramError } from './wire-error.ts';
import type { ResponsePlace } from './wire-ids.ts';

/** A message to an agent, for a run of its own. */
export interface NewMessage {
  readonly model: string;
  readonly input: Content;
  readonly history: readonly Turn<GivenPart>[];
  readonly tools: readonly ClientTool[];
  readonly format: JsonObject | undefined;
  /** The parameter that has the format. */
  readonly formatParam: string;
}

/** A part of a run that is an answer. */
export interface Answering {
  readonly found: FoundRun;
  readonly place: ResponsePlace;
  /** The requests whose answers it follows. */
  readonly after: readonly string[];
  readonly agent: ServedAgent;
  readonly schema: JsonObject | undefined;
}

/**
 * Starts a run for a message; one for each idempotency key.
 *
 * @throws {TroupeError} those of `ServedRuns.start`; `input.invalid` for tools of a client where nobody is to ask it, and for a format
 */
export const startAnswer = async (
  serving: Serving,
  { caller, request }: Admitted,
  { model, input, history, tools, format, formatParam }: NewMessage,
): Promise<Answering> => {
  const agent = serving.names.called(model);
  const schema = readFormat(format, agent, formatParam);
  assertTools(serving, agent, tools);
  const { runId } = await serving.runs.start(
    model,
    caller,
    {
      input: inputFor(agent, input),
      ...(history.length === 0 ? {} : { history }),
      ...(tools.length === 0 ? {} : { clientTools: tools }),
    },
    keyOf(request),
  );
  const found = await serving.finder.find(runId, caller);
  return { found, place: { runId, part: 0 }, after: [], agent, schema };
};

const assertTools = (
  { run }: Serving,
  { name, definition }: ServedAgent,
  tools: readonly ClientTool[],
): void => {
  if (tools.length === 0) return;
  if (definition.agent === undefined)
    throw paramError('tools', `'${name}' is a team, whose members have tools of their own`);
  if (run.person !== undefined)
    throw paramError('tools', 'this server answers the requests of its runs itself, so no client is asked');
};

/** Of an agent whose input is no text, the text is its JSON; one that is none is refused with the schema. */
const inputFor = ({ definition: { agent } }: ServedAgent, input: Content): Json => {
  if (agent === undefined || agent.takesText) return toJson(input);
  const text = textOf(input);
  try {
    const parsed: Json = JSON.parse(text);
    return parsed;
  } catch {
    return text;
  }
};

/** The fold of an answer. */
export const foldOf = ({ run }: Serving, { agent, after, schema }: Answering): AnswerFold => {
  const { agent: own } = agent.definition;
  return new AnswerFold({
    after: new Set(after),
    pauses: run.person === undefined,
    // What a critic may refuse is not shown before, and a team's members say nothing that is the team's.
    streamsText: own !== undefined && own.schemas.output === undefined && own.critics.length === 0,
    schema,
  });
};

/** An answer as it is made; `isOver` once it has ended. */
export interface AnswerFlow {
  readonly pieces: AsyncIterator<AnswerPiece, undefined>;
  readonly isOver: () => boolean;
}

/** The pieces of an answer as they are made. */
export const flowOf = (serving: Serving, answering: Answering): AnswerFlow => {
  const fold = foldOf(serving, answering);
  const pieces = pausedParts(eventsOf(serving, answering.found), fold, serving.clock);
  return { pieces, isOver: () => fold.isOver };
};

/** Waits for the end of an answer. One that is not kept is aborted when its client goes away. @throws {TroupeError} `server.refused` */
export const endOf = async (
  serving: Serving,
  { request }: Admitted,
  answering: Answering,
  isKept: boolean,
): Promise<AnswerEnd> => {
  const { pieces } = flowOf(serving, answering);
  const leave = (): void => {
    void pieces.return?.();
    if (!isKept) abandon(answering);
  };
  const forget = onSignal(request.signal, leave);
  if (request.signal.aborted) leave();
  try {
    for (;;) {
      const { value, done } = await pieces.next();
      if (done === true) throw refusal(408, 'its client went away');
      if (value.type === 'ended') return value.end;
    }
  } finally {
    forget();
  }
};

/** Aborts the run of an answer that nobody can read any more. */
export const abandon = ({ found }: Answering): void => {
  if (found.live?.isOver === false) found.live.handle.abort('its client went away');
};
