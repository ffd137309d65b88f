import { toJson } from '../../../base/json/json.ts';
import type { Began, JournalRecord } from '../../../contracts/journals/journal-record.ts';
import type { RunOptions } from '../../../contracts/runs/run-options.ts';
import type { Secrets } from '../../../contracts/secrets/redactor.ts';
import type { Definition } from '../../define/definition.ts';
import type { Journaled } from '../resume/stored-run.ts';
import { beginAgain, createJournaledRun, optionsOf } from '../resume/stored-run.ts';
import type { Hold } from './ahead.ts';
import { Ahead } from './ahead.ts';
import { checkPrompted } from './check-prompted.ts';
import { DeterminismError } from './determinism-error.ts';

/** The needs of a replay that waits for records. */
export interface FollowedSetup {
  readonly definition: Definition;
  /** The first record of the run. */
  readonly began: Began;
  readonly options: Pick<RunOptions, 'inspect'>;
  /** Holds back what the inspector shows while it is not on record. */
  readonly hold: Hold;
}

/**
 * A replay of a run that somebody else writes: it stands where the records end, and moves on with those that come. Nothing is executed and
 * nothing is written.
 *
 * Whenever it waits, it has shown what a replay of all records up to there shows.
 */
export class FollowedReplay {
  readonly #journaled: Journaled;

  constructor({ definition, began, options, hold }: FollowedSetup) {
    const { run, journal } = createJournaledRun(
      definition,
      optionsOf(began, options),
      { isAttended: true, isReplayed: true },
      {
        onRead: (arrival) => {
          checkPrompted(arrival, run);
        },
      },
    );
    this.#journaled = { run, journal };
    journal.follow(began, new Ahead(hold), () => {
      beginAgain(run, began);
    });
  }

  /**
   * Moves on with the next records. After an exception it is of no use.
   *
   * @throws {DeterminismError} `journal.diverged`: the agent does something else, or something arrived where the replay had moved on
   * already; then a replay of the whole journal does not throw.
   */
  take(records: readonly JournalRecord[], fields: Secrets = {}): void {
    const { run, journal } = this.#journaled;
    run.secrets.know(fields);
    if (journal.again.proceed(records)) return;
    const [record] = records;
    throw new DeterminismError({
      runId: run.runId,
      path: journal.root.path,
      expected: toJson(record ?? null),
      found: null,
    });
  }
}
