import type { Json, JsonObject } from '../../../base/json/json.ts';
import { toJson } from '../../../base/json/json.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import type { JournalStore } from '../../../contracts/journals/journal.ts';
import type { RunPoint } from '../../../runtime/journal/resume/run-point.ts';
import type { StateAt } from '../../../runtime/journal/resume/state-parting.ts';
import { storedStateAt } from '../../../runtime/journal/resume/state-parting.ts';
import { recordsIn } from '../../../runtime/journal/resume/stored-run.ts';
import type { Recording } from '../../recording/recording.ts';
import { editedInput } from '../edited-input.ts';
import type { ForkedAgent } from '../known-runs.ts';

/** The state of an agent at a point of a stored run, and how the page shows it. */
export interface ShownState {
  readonly state: StateAt;
  readonly shown: Json;
}

/** A point of a stored run. */
export interface StatePlace {
  readonly store: JournalStore;
  readonly run: string;
  readonly at: RunPoint | undefined;
}

/** @throws (rejects with) `journal.unknown`, `journal.point-unknown`; `input.invalid` where no agent has a state there. */
export const shownState = async (
  agent: Pick<ForkedAgent, 'name'>,
  { store, run, at }: StatePlace,
  recording: Pick<Recording, 'line'>,
): Promise<ShownState> => {
  const state = await storedStateAt(agent, run, { store, at });
  return { state, shown: toJson(JSON.parse(recording.line(state.recorded))) };
};

/**
 * The event of a stored run by which an agent came to the state that a step of it begins with.
 *
 * @throws (rejects with) `journal.unknown`; `input.invalid` where there is none.
 */
export const pointOfState = async (
  store: JournalStore,
  { run, path, step }: { readonly run: string; readonly path: string; readonly step: number },
): Promise<{ readonly seq: number }> => {
  const { records } = await recordsIn(store, run);
  for (const record of records) {
    if (record.kind !== 'event' || record.event.path !== path) continue;
    const { type, seq } = record.event;
    if (step === 0 ? type === 'agent.prepared' : type === 'agent.reduced' && record.event.step === step - 1)
      return { seq };
  }
  throw new TroupeError(
    'input.invalid',
    `Cannot change the state of '${path}' as step ${step} begins as that is not in the store: an agent has one once it is prepared, and after each step`,
    { runId: run },
  );
};

/** The parts of a state that may be edited, as the page shows them. */
export const stateFormOf = ({ state: { origin, agent }, shown }: ShownState): JsonObject => {
  const { path, made, seq, type } = origin;
  return { path, agent, step: made === undefined ? 0 : made + 1, seq, type, state: shown };
};

/**
 * The state that a person means who edited what the page shows. Undefined if nothing was changed.
 *
 * @throws {TroupeError} `input.invalid` where a redacted part was moved or edited.
 */
export const meantState = ({ state: { recorded }, shown }: ShownState, edited: Json): Json | undefined =>
  editedInput(edited, recorded, shown);
