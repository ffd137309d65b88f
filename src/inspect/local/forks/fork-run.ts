import { TroupeError } from '../../../contracts/errors/error.ts';
import type { JsonObject } from '../../../base/json/json.ts';
import type { JournalStore } from '../../../contracts/journals/journal.ts';
import type { Model } from '../../../contracts/models/model.ts';
import { nameOf } from '../../../actors/deciding/model-events.ts';
import { resolveModel } from '../../../models/model-registry.ts';
import type { EventChange } from '../../../runtime/journal/resume/changed-parting.ts';
import { forkAs } from '../../../runtime/journal/resume/fork.ts';
import type { Recorder } from '../../recording/recorder.ts';
import type { Recording } from '../../recording/recording.ts';
import { eventAt } from '../event-at.ts';
import type { ForkedAgent, KnownRuns } from '../known-runs.ts';
import type { StoredFeeds } from '../stored-feeds.ts';
import type { Trials } from '../trial/trials.ts';
import { formOf, meantChange, shownEvent, refuseUnchanged } from './changed-event.ts';
import { meantState, pointOfState, shownState, stateFormOf } from './changed-state.ts';
import type { ChangeNamed, ForkCommand, StateNamed } from './fork-command.ts';

/** The environment in which runs are forked. */
export interface ForkDesk {
  readonly recorder: Recorder;
  readonly known: KnownRuns;
  readonly store: JournalStore | undefined;
  readonly stored: StoredFeeds | undefined;
  readonly trials: Pick<Trials, 'modelsOf'>;
}

/** A run that can be forked. */
interface Forkable {
  readonly store: JournalStore;
  readonly agent: ForkedAgent;
  readonly recording: Recording;
}

/**
 * The words and calls of an event that a fork may change, and the models that it can ask: nothing is begun.
 *
 * @throws (rejects with) as {@link forkRun}.
 */
export const changeFormOf = async (named: ChangeNamed, desk: ForkDesk): Promise<JsonObject> => {
  const { store, recording } = await forkableRun(named.run, desk);
  const shown = await shownEvent(store, named, recording);
  const models = await desk.trials.modelsOf(named.run);
  return formOf(shown, [...new Set(models.map(nameOf))]);
};

/**
 * The state of an agent that a fork may change, as a step of it begins: nothing is begun.
 *
 * @throws (rejects with) as {@link forkRun}.
 */
export const stateFormFor = async (named: StateNamed, desk: ForkDesk): Promise<JsonObject> => {
  const { run } = named;
  const { store, agent, recording } = await forkableRun(run, desk);
  const at = await pointOfState(store, named);
  return stateFormOf(await shownState(agent, { store, run, at }, recording));
};

/**
 * Forks a stored run, which may be in progress; returns the id of the new one.
 *
 * @throws (rejects with) `journal.unknown` for a run that is not stored; `agent.unknown`; `model.unknown`; `input.invalid` for an event or a state that
 * cannot be changed, or not so; the errors of `fork`.
 */
export const forkRun = async (command: ForkCommand, desk: ForkDesk): Promise<string> => {
  const { run, at, message, text, calls, state, by } = command;
  // First, as a fork by a model that nobody knows would begin, and fail.
  const model = await modelFor(command, desk);
  const { store, agent, recording } = await forkableRun(run, desk);
  const point = typeof at === 'number' ? eventAt(recording, run, at) : at;
  const seq = point !== undefined && 'seq' in point ? point.seq : undefined;
  const change = await meantAt({ store, run, seq, recording }, { text, calls });
  const meant =
    state === undefined
      ? undefined
      : meantState(await shownState(agent, { store, run, at: point }, recording), state);
  if (change === undefined || (state !== undefined && meant === undefined)) throw refuseUnchanged(run);
  const handle = await forkAs(agent, run, {
    store,
    at: point,
    change: { model, message, ...change, state: meant },
    by,
    inspect: desk.known,
  });
  return handle.runId;
};

/** The change of an event that a person means; undefined where nothing was changed. */
const meantAt = async (
  { store, run, seq, recording }: Pick<Forkable, 'store' | 'recording'> & EventNamed,
  edit: EventChange,
): Promise<EventChange | undefined> =>
  seq === undefined || (edit.text === undefined && edit.calls === undefined)
    ? edit
    : meantChange(await shownEvent(store, { run, seq }, recording), edit);

interface EventNamed {
  readonly run: string;
  readonly seq: number | undefined;
}

/** One of the models that the run's agents have, or any other by its name. */
const modelFor = async ({ run, model }: ForkCommand, desk: ForkDesk): Promise<Model | string | undefined> => {
  if (model === undefined) return undefined;
  const known = (await desk.trials.modelsOf(run)).find((each) => nameOf(each) === model);
  if (known !== undefined) return known;
  resolveModel(model);
  return model;
};

const forkableRun = async (run: string, desk: ForkDesk): Promise<Forkable> => {
  const { store, stored, recorder } = desk;
  if (store === undefined || stored === undefined)
    throw new TroupeError('journal.unknown', `Cannot fork run '${run}' as there is no store`, { runId: run });
  const root = desk.known.rootOf(run);
  if (root !== undefined && (await store.entry(run)) === undefined)
    throw new TroupeError(
      'journal.unknown',
      `Cannot fork run '${run}' as it is not in ${store.name}: begin it with that \`store\``,
      { runId: run },
    );
  // The agent of a run of this process needs no search.
  const agent = root ?? (await stored.agentOf(run));
  const isHere = recorder.runs.some(({ runId }) => runId === run);
  return { store, agent, recording: isHere ? recorder.recording : (await stored.at(run)).recording };
};
