import type { ReplayOptions } from '../resume/resume-options.ts';
import { checkReplay } from '../resume/resume-schema.ts';
import type { Agent } from '../../../contracts/agents/agent.ts';
import type { RuntimeEvent } from '../../../contracts/events/event.ts';
import type { Arrival, Began, JournalRecord } from '../../../contracts/journals/journal-record.ts';
import type { Json } from '../../../base/json/json.ts';
import { isJsonObject, toJson } from '../../../base/json/json.ts';
import type { Secrets } from '../../../contracts/secrets/redactor.ts';
import { secretKeyOf } from '../../../policy/secret-key-of.ts';
import type { RunOptions } from '../../../contracts/runs/run-options.ts';
import type { RunResult } from '../../../contracts/runs/run-result.ts';
import type { Definition } from '../../define/definition.ts';
import type { Run } from '../../run/run.ts';
import { checkPrompted } from './check-prompted.ts';
import type { Pending } from './replay-context.ts';
import { recordsUpTo } from '../resume/run-point.ts';
import { journaledDefinition } from '../resume/resume.ts';
import { assertOwn } from '../resume/resumed-run.ts';
import {
  beginAgain,
  createJournaledRun,
  knownSecrets,
  lockedError,
  optionsOf,
  recordsIn,
} from '../resume/stored-run.ts';

/** The outcome of a replay. */
export interface Replayed<Output = Json> {
  readonly events: readonly RuntimeEvent[];
  /** State of the run's agent at that point; undefined for a team, and for a run that is over. */
  readonly state: Json | undefined;
  /** Undefined if the journal, or the part that was replayed, ends before the run does. */
  readonly result: RunResult<Output> | undefined;
}

/**
 * Replays a run from its journal: nothing is executed and nothing is written.
 *
 * Each event must equal the recorded one, and so must the instructions and tools that agents send their models. `to` stops at an earlier
 * step: time travel.
 *
 * @example
 * const { events } = await replay(clerk, 'run-17', { store });
 * const { state } = await replay(clerk, 'run-17', { store, to: { step: 3 } });
 * await replay(clerk, 'run-17', { store, inspect: recorder() }); // of 'troupe/inspect'
 *
 * @throws {DeterminismError} `journal.diverged`: names the agent, the step and the first difference. {@link TroupeError}
 * `journal.unknown`, `journal.corrupt`, `journal.version`; `secret.wrong-key` for a `secretKey` that is another: without one `[redacted
 * FIELD]` stands for what is sealed.
 */
export const replay = async <Input, Output, State>(
  agent: Agent<Input, Output, State>,
  runId: string,
  given: ReplayOptions,
): Promise<Replayed<Output>> => {
  const { store, to, ...options } = checkReplay(given, `run '${runId}'`);
  const definition = journaledDefinition(agent);
  const { records, opened } = await recordsIn(store, runId, knownSecrets(definition, options));
  const { secretKey } = options;
  // Without a key, everything that is not secret can be read.
  if (secretKey !== undefined && opened.lockedFields.length > 0)
    throw lockedError(runId, opened.lockedFields, secretKeyOf(secretKey));
  return replayRecords<Output>(definition, recordsUpTo(records, to), options, opened.fields);
};

/**
 * Replays a run as resuming it would, by which prompts may have changed: nothing is executed, and nothing is written.
 *
 * @throws {DeterminismError} as {@link replay} does.
 */
export const assertReplays = async (
  agent: { readonly name: string },
  runId: string,
  { store, ...options }: Pick<RunOptions, 'model'> & Pick<ReplayOptions, 'store'>,
): Promise<void> => {
  const definition = journaledDefinition(agent);
  const { records, began, opened } = await recordsIn(store, runId, knownSecrets(definition, options));
  assertOwn(began, definition);
  await replayRecords(definition, records, options, opened.fields, () => undefined);
};

/** Replays records that are loaded already. */
export const replayRecords = async <Output>(
  definition: Definition,
  records: readonly JournalRecord[],
  options: RunOptions,
  fields: Secrets = {},
  compare: ReplayCheck = checkPrompted,
): Promise<Replayed<Output>> => {
  const [began] = records;
  if (began?.kind !== 'began') return { events: [], state: undefined, result: undefined };
  const { run, go } = openReplay(definition, [began, ...records.slice(1)], options, fields, compare);
  go();
  const { ending, host, log, root } = run;
  const context = host.contextOf(root);
  const isAgent = typeof context === 'object' && context !== null && 'tally' in context && 'state' in context;
  return {
    events: log.events.slice(),
    state: isAgent ? toJson(context.state) : undefined,
    // The output has the agent's type, since this agent ran.
    result: ending.hasBegun
      ? ((await settledResult(run.result)) as RunResult<Output> | undefined)
      : undefined,
  };
};

/** Compares what is on record with what the run does: throws where that differs. */
export type ReplayCheck = (arrival: Arrival, run: Run, pending: ReadonlyMap<string, Pending>) => void;

/** A run that is replayed by `go`. */
export interface OpenReplay {
  readonly run: Run;
  /** @throws {DeterminismError} */
  readonly go: () => void;
}

/** Creates a run that can be replayed from its records. */
export const openReplay = (
  definition: Definition,
  records: readonly [Began, ...JournalRecord[]],
  options: RunOptions,
  fields: Secrets,
  compare: ReplayCheck,
): OpenReplay => {
  const [began] = records;
  const { run, journal } = createJournaledRun(
    definition,
    optionsOf(began, options),
    { isAttended: true, isReplayed: true },
    {
      onEnd: () => {
        throw new AtEnd();
      },
      onRead: (arrival, pending) => {
        compare(arrival, run, pending);
      },
    },
  );
  run.secrets.know(fields);
  return {
    run,
    go: () => {
      try {
        journal.rerun(records, () => {
          beginAgain(run, began);
        });
      } catch (thrown) {
        if (!(thrown instanceof AtEnd)) throw thrown;
      }
    },
  };
};

/** The replay reached the end of the journal. */
class AtEnd extends Error {}

/** The result of a run, also if it failed: then it is attached to the error. */
export const settledResult = <Output, State>(
  result: Promise<RunResult<Output, State>>,
): Promise<RunResult<Output, State> | undefined> =>
  result.catch((error: unknown) => {
    const found: unknown = isJsonObject(error) ? Reflect.get(error, 'result') : undefined;
    return found as RunResult<Output, State> | undefined;
  });
