import type { Agent } from '../../../contracts/agent.ts';
import type { RuntimeEvent } from '../../../contracts/event.ts';
import type { JournalStore } from '../../../contracts/journal.ts';
import type { JournalRecord } from '../../../contracts/journal-record.ts';
import type { RunInspector } from '../../../contracts/inspection.ts';
import type { Json } from '../../../contracts/json.ts';
import { isJsonObject, toJson } from '../../../contracts/json.ts';
import type { Secrets } from '../../../contracts/secrets/redactor.ts';
import { secretKeyOf } from '../../../policy/secret-key-of.ts';
import type { RunOptions, RunResult } from '../../../contracts/run.ts';
import type { Definition } from '../../define/definition.ts';
import { checkPrompted } from './check-prompted.ts';
import type { RunPoint } from '../resume/run-point.ts';
import { recordsUpTo } from '../resume/run-point.ts';
import { journaledDefinition } from '../resume/resume.ts';
import { beginAgain, journaled, knownTo, lockedOut, optionsOf, recordsIn } from '../resume/stored-run.ts';

/** Which run is gone through again, and how far. */
export interface ReplayOptions extends Pick<RunOptions, 'context' | 'secrets' | 'secretKey'> {
  /** Looks into the run as it is gone through; see `recorder` of `troupe/inspect`. */
  readonly inspect?: RunInspector | undefined;
  readonly store: JournalStore;
  /** Default: to the end of the journal. */
  readonly to?: RunPoint | undefined;
}

/** What a run came to when it was gone through again. */
export interface Replayed<Output = Json> {
  readonly events: readonly RuntimeEvent[];
  /** The state of the run's agent by then; undefined for a team, and for a run that is over. */
  readonly state: Json | undefined;
  /** What the run gave; undefined where the journal, or what of it was wanted, ends before. */
  readonly result: RunResult<Output> | undefined;
}

/**
 * Goes through a run again: the machines are told what they were told, and nothing is done and nothing written.
 *
 * What they do has to be what the journal says, event by event; and what the agents tell their models of themselves (instructions,
 * tools) has to be what it was. With `to`, it is as it was at an earlier step: time travel.
 *
 * @example
 * const { events } = await replay(clerk, 'run-17', { store });
 * const { state } = await replay(clerk, 'run-17', { store, to: { step: 3 } });
 * await replay(clerk, 'run-17', { store, inspect: recorder() }); // of 'troupe/inspect'
 *
 * @throws {DeterminismError} `journal.diverged`: names the agent, the step and the first difference. {@link TroupeError}
 * `journal.unknown`, `journal.corrupt`, `journal.version`; `secret.wrong-key` for a `secretKey` that is another: without one `[redacted FIELD]` stands for what is sealed.
 */
export const replay = async <Input, Output, State>(
  agent: Agent<Input, Output, State>,
  runId: string,
  { store, to, ...options }: ReplayOptions,
): Promise<Replayed<Output>> => {
  const definition = journaledDefinition(agent);
  const { records, opened } = await recordsIn(store, runId, knownTo(definition, options));
  const { secretKey } = options;
  // Whoever gives none may read what is not secret.
  if (secretKey !== undefined && opened.lockedFields.length > 0)
    throw lockedOut(runId, opened.lockedFields, secretKeyOf(secretKey));
  return replayRecords<Output>(definition, recordsUpTo(records, to), options, opened.fields);
};

/** Goes through records that are at hand. */
export const replayRecords = async <Output>(
  definition: Definition,
  records: readonly JournalRecord[],
  options: RunOptions,
  fields: Secrets = {},
): Promise<Replayed<Output>> => {
  const [began] = records;
  if (began?.kind !== 'began') return { events: [], state: undefined, result: undefined };
  const { run, journal } = journaled(
    definition,
    optionsOf(began, options),
    { isAttended: true, isReplayed: true },
    {
      onEnd: () => {
        throw new AtEnd();
      },
      onPrompted: (prompted) => {
        checkPrompted(prompted, run.actors.at(prompted.path)?.definition, began.runId);
      },
    },
  );
  run.secrets.know(fields);
  try {
    journal.rerun(records, () => {
      beginAgain(run, began);
    });
  } catch (thrown) {
    if (!(thrown instanceof AtEnd)) throw thrown;
  }
  const { ending, host, log, root } = run;
  const context = host.contextOf(root);
  const isAgent = typeof context === 'object' && context !== null && 'tally' in context && 'state' in context;
  return {
    events: log.events.slice(),
    state: isAgent ? toJson(context.state) : undefined,
    // The agent that typed it is the one that was run.
    result: ending.hasBegun ? ((await settled(run.result)) as RunResult<Output> | undefined) : undefined,
  };
};

/** The journal is at its end. */
class AtEnd extends Error {}

/** A run that failed has a result, too: it hangs on the error. */
const settled = (result: Promise<RunResult>): Promise<RunResult | undefined> =>
  result.catch((error: unknown) => {
    const found: unknown = isJsonObject(error) ? Reflect.get(error, 'result') : undefined;
    return found as RunResult | undefined;
  });
