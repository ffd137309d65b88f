import type { Json } from '../../../base/json/json.ts';
import { toJson } from '../../../base/json/json.ts';
import { isAgentContext } from '../../actors/agent-conversation.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import type {
  Arrived,
  Began,
  ForkedEvent,
  JournalRecord,
} from '../../../contracts/journals/journal-record.ts';
import type { JournalStore } from '../../../contracts/journals/journal.ts';
import type { RunOptions } from '../../../contracts/runs/run-options.ts';
import type { Secrets } from '../../../contracts/secrets/redactor.ts';
import type { Definition } from '../../define/definition.ts';
import { openReplay } from '../replay/replay.ts';
import type { StateOrigin } from './changed-state.ts';
import { stateOriginAt } from './changed-state.ts';
import type { Parting, RunPoint } from './run-point.ts';
import { partingAt } from './run-point.ts';
import { journaledDefinition } from './resume.ts';
import type { KnownStates } from './state-shape.ts';
import { parseState } from './state-shape.ts';
import { knownSecrets, recordsIn } from './stored-run.ts';

/** The records of a run, and what is needed to replay them. */
export interface ReplayableRun {
  readonly definition: Definition;
  readonly began: Began;
  readonly records: readonly JournalRecord[];
  readonly options: Pick<RunOptions, 'context' | 'secrets' | 'secretKey'>;
  readonly fields: Secrets;
}

/** The state of an agent at a point of a run. */
export interface StateAt extends KnownStates {
  readonly origin: StateOrigin;
}

/** A fork's share of a run, and the state that one of its agents has otherwise. */
export interface StateParting extends Parting {
  readonly path: string;
  /** The step that begins with the state. */
  readonly step: number;
  readonly changed: Pick<ForkedEvent, 'seq' | 'type'>;
  /** The states that agents start with. */
  readonly states?: Began['states'];
  /** The record of the state, and its index among the shared ones. */
  readonly arrived?: { readonly at: number; readonly record: Arrived } | undefined;
}

/**
 * Replays a run as far as the state that an agent has at a point.
 *
 * @throws {TroupeError} as {@link stateOriginAt}; `input.invalid` for an agent that a call runs; {@link DeterminismError} where the agent does
 * something else.
 */
export const stateAt = (run: ReplayableRun, point: RunPoint | undefined): StateAt => {
  const { definition, began, records, options, fields } = run;
  const origin = stateOriginAt(records, point);
  const { run: replayed, go } = openReplay(
    definition,
    [began, ...records.slice(1, origin.at + 1)],
    options,
    fields,
    () => undefined,
  );
  go();
  const actor = replayed.actors.at(origin.path);
  const context = actor && replayed.host.contextOf(actor);
  if (actor?.definition.agent === undefined || !isAgentContext(context))
    throw refusal(`'${origin.path}' was not there any more`);
  if (origin.made === undefined && !actor.isOfRun)
    throw refusal(
      `'${origin.path}' was engaged by a call, and has made no step: change the call, or its state after a step`,
    );
  return {
    origin,
    agent: actor.agent,
    defined: toJson(actor.definition.agent.state),
    recorded: toJson(context.state),
  };
};

/**
 * The state that an agent has at a point of a stored run.
 *
 * @throws (rejects with) {TroupeError} as {@link stateAt}, and those of `replay`.
 */
export const storedStateAt = async (
  agent: { readonly name: string },
  runId: string,
  { store, at }: { readonly store: JournalStore; readonly at: RunPoint | undefined },
): Promise<StateAt> => {
  const definition = journaledDefinition(agent);
  const { records, began, opened } = await recordsIn(store, runId, knownSecrets(definition, {}));
  return stateAt({ definition, began, records, options: {}, fields: opened.fields }, at);
};

/**
 * Splits a run at the state that an agent has at a point. The step that made the state is shared but for its last answer, which is delivered
 * again: so what follows from the state, follows from the one that is given.
 *
 * @throws {TroupeError} as {@link stateAt}; `input.invalid` for a state that does not fit the agent.
 */
export const partingWithState = (
  run: ReplayableRun,
  point: RunPoint | undefined,
  given: unknown,
): StateParting => {
  const { began, records } = run;
  const found = stateAt(run, point);
  const { path, made, seq, type, from } = found.origin;
  const state = parseState(given, found);
  const changed = { seq, type };
  if (made === undefined) {
    assertOnlyOne(records, found);
    const parting =
      path === began.agent ? atBeginning(began) : partingAt(records, { seq: seqAt(records, from) });
    return { ...parting, path, step: 0, changed, states: { ...began.states, [found.agent]: state } };
  }
  const parting = partingAt(records, { seq });
  return {
    ...parting,
    path,
    step: made + 1,
    changed,
    arrived: { at: from + 1, record: stateRecordAt(records, from, { path, step: made, state }) },
  };
};

const atBeginning = (began: Began): Parting => ({ records: [began], inHand: undefined, seq: 0 });

/** States at the start are kept by the names of agents. */
const assertOnlyOne = (records: readonly JournalRecord[], { agent, origin: { path } }: StateAt): void => {
  const other = records.find(
    (each) =>
      each.kind === 'event' &&
      each.scope === undefined &&
      each.event.agent === agent &&
      !isBelow(each.event.path, path),
  );
  if (other?.kind !== 'event') return;
  throw refusal(
    `'${other.event.path}' has the name of '${path}', and would start with the same: change the state after a step`,
  );
};

const isBelow = (path: string, above: string): boolean => path === above || path.startsWith(`${above}/~`);

const seqAt = (records: readonly JournalRecord[], index: number): number => {
  const record = records[index];
  return record?.kind === 'event' ? record.event.seq : 0;
};

/** The record of a state, at the beginning of the step that makes it: from there on it waits for the end of the step. */
const stateRecordAt = (
  records: readonly JournalRecord[],
  index: number,
  given: { readonly path: string; readonly step: number; readonly state: Json },
): Arrived => {
  const record = records[index];
  const before = records.findLast(
    (each, at) => at <= index && each.kind !== 'began' && each.scope === undefined && each.tick !== undefined,
  );
  return {
    kind: 'arrived',
    tick: before === undefined || before.kind === 'began' ? 0 : (before.tick ?? 0),
    at: record?.kind === 'event' ? record.event.at : 0,
    arrival: { type: 'state', ...given },
  };
};

const refusal = (reason: string): TroupeError =>
  new TroupeError('input.invalid', `Cannot change the state at that point of the run as ${reason}`);
