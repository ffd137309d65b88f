import { clientTool } from '../../../tools/define/client-tool.ts';
import { assertJudged } from './assert-judged.ts';
import type { ForkOptions } from './resume-options.ts';
import { checkFork } from './resume-schema.ts';
import type { Agent } from '../../../contracts/agents/agent.ts';
import { systemClock } from '../../../base/clock.ts';
import { errorData, toError } from '../../../contracts/errors/error.ts';
import type { Arrived, Began, JournalRecord } from '../../../contracts/journals/journal-record.ts';
import type { Lease } from '../../../contracts/journals/journal.ts';
import type { RunHandle } from '../../../contracts/runs/run-handle.ts';
import { randomId } from '../../../base/random-id.ts';
import { secretKeyOf } from '../../../policy/secret-key-of.ts';
import { Handle } from '../../run/handle.ts';
import { hideInput } from '../../secrets/hide-fields.ts';
import type { EffectAnswer } from '../../effects/effect-under-way.ts';
import type { WhyHurried } from '../write/store-silent.ts';
import { storeWithheld } from '../write/store-silent.ts';
import { releaseLate, whileWanted } from './while-wanted.ts';
import { journaledDefinition } from './resume.ts';
import { entryOf } from './beginning.ts';
import type { ChangedParting } from './fork-parting.ts';
import { partingFor } from './fork-parting.ts';
import { placeOf } from './run-point.ts';
import {
  assertSecretsKnown,
  beginAgain,
  createJournaledRun,
  keepIn,
  knownSecrets,
  optionsOf,
  recordsIn,
  leaseRequestFor,
} from './stored-run.ts';

/**
 * Starts a new run that shares the beginning of another and continues independently; the other run is unchanged.
 *
 * Answers from before the point are reused at no cost. Up to there, `agent` has to do what the run did. An event that is changed is the
 * point itself: `at: { seq: 12 }, change: { text: 'It rains.' }`. The state of an agent is changed as it is at the point: `at: { step: 2 }, change:
 * { state: { total: 0 } }`.
 *
 * @example
 * const other = await fork(clerk, 'run-17', { store, at: { step: 2 }, change: { model: 'anthropic:claude-sonnet-4-5' } });
 * const { output } = await other.result;
 *
 * @throws {TroupeError} `journal.point-unknown` for a point that the run does not have; `input.invalid` for an event or a state that cannot
 * be changed, or not so; {@link DeterminismError} where the agent does something
 * else before it; `journal.exists` for a run id that is taken; `journal.unknown`, `journal.corrupt`, `journal.version`; `journal.failed`
 * where the
 * store does not answer and `signal` is aborted, or the time of the run is up; `secret.missing`, `secret.wrong-key`; `policy.missing` for a run whose calls were judged, without `safety`.
 */
export const fork = <Input, Output, State>(
  agent: Agent<Input, Output, State>,
  runId: string,
  given: ForkOptions<NoInfer<State>>,
): Promise<RunHandle<Output, State>> => forkAs<Output, State>(agent, runId, given);

/** Forks a run by whatever stands for its agent, such as the root of a run that is inspected. */
export const forkAs = async <Output, State>(
  agent: { readonly name: string },
  runId: string,
  given: ForkOptions<unknown>,
): Promise<RunHandle<Output, State>> => {
  const {
    store,
    at,
    change,
    by,
    runId: forkId = randomId(),
    ...options
  } = checkFork(given, `run '${runId}'`);
  const definition = journaledDefinition(agent);
  const key = secretKeyOf(options.secretKey);
  const wanted = {
    signal: options.signal,
    clock: options.clock,
    refusal: (why: WhyHurried) => storeWithheld(runId, why, 'fork'),
  };
  const { records, began, opened } = await whileWanted(
    recordsIn(store, runId, knownSecrets(definition, { ...options, model: change?.model })),
    wanted,
  );
  assertSecretsKnown(runId, opened, key);
  assertJudged(began, records, options, 'fork');
  // Looked at without the observers of the fork.
  const { context, secrets, secretKey } = options;
  const replayable = {
    definition,
    began,
    records,
    options: { context, secrets, secretKey },
    fields: opened.fields,
  };
  const parting = await partingFor(replayable, at, change);
  const { records: shared, inHand, seq, changed } = parting;
  // The thread continues with the original run, not with the fork.
  const begun: Began = {
    ...began,
    runId: forkId,
    thread: undefined,
    ...(parting.states && { states: parting.states }),
    fork: {
      runId,
      seq,
      ...(parting.place ?? placeOf(records, at)),
      at: systemClock.now(),
      ...(by !== undefined && { by }),
      ...(changed && { changed }),
    },
  };
  const first = [begun, ...withArrived(renameRun(shared.slice(1), runId, forkId), parting.arrived)];
  const { run, journal } = createJournaledRun(
    definition,
    optionsOf(begun, { ...options, store, model: change?.model }),
    {
      isAttended: true,
      tenant: begun.tenant,
      makeTool: clientTool,
    },
  );
  run.secrets.know(opened.fields);
  hideInput(run.secrets, definition, begun.input);
  const redact = (text: string): string => run.secrets.text(text);
  const creating = async (): Promise<Lease> =>
    store.create(entryOf(begun, systemClock.now(), redact), leaseRequestFor(store));
  const lease = await whileWanted(creating(), {
    ...wanted,
    timeMs: run.deadlines.wholeMs,
    giveBack: (late) => releaseLate(store, late),
  });
  try {
    await run.content.refer([first, inHand]);
    const held = run.content.written();
    if (held !== undefined) {
      await held;
      // From now on the bytes stay. Before, they may have gone with the other run, which is then unknown.
      await store.read(runId, 0, 1);
    }
    await keepIn({ store, lease, run, journal, key, first });
    journal.rerun(
      first,
      () => {
        beginAgain(run, begun);
      },
      {
        isFork: true,
        inHand: answersIn(inHand),
        before: () => {
          const { message } = change ?? {};
          if (parting.given !== undefined) run.effects.given.set(...parting.given);
          if (parting.message !== undefined) run.mail.carry(parting.message.message, parting.message.to);
          if (message !== undefined) run.mail.send(run.content.messageOf(message));
        },
      },
    );
  } catch (thrown) {
    run.ending.lose(toError(errorData(thrown, 'journal.failed', { message: 'Cannot fork the run' })));
    throw thrown;
  }
  return new Handle<Output, State>(run);
};

/** The shared records, with that of a changed state in its place. */
const withArrived = (
  records: readonly JournalRecord[],
  arrived: ChangedParting['arrived'],
): readonly JournalRecord[] =>
  arrived === undefined ? records : records.toSpliced(arrived.at - 1, 0, arrived.record);

const answersIn = (record: Arrived | undefined): ReadonlyMap<string, EffectAnswer> => {
  const arrival = record?.arrival;
  if (arrival?.type === 'answered') return new Map([[arrival.key, { output: arrival.output }]]);
  if (arrival?.type === 'failed') return new Map([[arrival.key, { error: arrival.error }]]);
  return new Map();
};

/** Records under another run's id, which occurs alone and at the beginning of keys. */
const renameRun = (records: readonly JournalRecord[], from: string, to: string): readonly JournalRecord[] => {
  const rename = (_key: string, value: unknown): unknown => {
    if (typeof value !== 'string') return value;
    if (value === from) return to;
    return value.startsWith(`${from}/`) ? `${to}${value.slice(from.length)}` : value;
  };
  // Renaming keeps the type of each record.
  return JSON.parse(JSON.stringify(records), rename) as readonly JournalRecord[];
};
