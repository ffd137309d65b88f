import type { OptionShape } from '../../base/schemas/option-schemas.ts';
import { aBound, anything, byName, optional } from '../../base/schemas/option-schemas.ts';
import type { MediaPart } from '../../contracts/content/part.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import type { InspectedRun, RunInspector } from '../../contracts/events/inspection.ts';
import type { RunHandle } from '../../contracts/runs/run-handle.ts';
import type { FieldSecret } from '../../contracts/secrets/field-secret.ts';
import { Redactor } from '../../contracts/secrets/redactor.ts';
import type { Secrets } from '../../policy/redaction.ts';
import { redactorOf } from '../../policy/redaction.ts';

import type { Breakpoint } from './breakpoint.ts';
import { Breakpoints } from './breakpoints.ts';
import { ChartBook } from './chart-book.ts';
import { Recording } from './recording.ts';
import { RunBook } from './run-book.ts';
import type { RecordedRun } from './run-book.ts';
import { RunMedia } from './run-media.ts';
import { RunRecorder } from './run-recorder.ts';

/** The options of a recorder. */
export interface RecorderOptions {
  /** Entries that are kept as they are; of older ones is kept what they came to. Default 100,000. */
  readonly capacity?: number | undefined;
  /** Secrets, by name: redacted from everything shown. Default: the keys, tokens, secrets and passwords of this process's environment. */
  readonly secrets?: Secrets | undefined;
}

/** Records runs, for inspectors; see {@link recorder}. */
export interface Recorder extends RunInspector {
  readonly recording: Recording;
  /** The runs that can be held, stepped and talked to, by id. */
  readonly handles: ReadonlyMap<string, RunHandle<unknown, unknown>>;
  /** The runs that were recorded, the newest last: at most 1,000. */
  readonly runs: readonly RecordedRun[];
  /** The errors of followers that were dropped: what they threw. */
  readonly failures: readonly unknown[];
  /**
   * Pauses runs where one of these is met, before any effect that follows from it is executed, and records why (`break`). They replace
   * those set before: of the run of that id, or of all runs.
   *
   * @example
   * record.breakAt([{ kind: 'state', value: 'CRITIC' }, { kind: 'cost', value: 0.5 }]);
   */
  breakAt(breakpoints: readonly Breakpoint[], runId?: string): void;
  /**
   * Reads the bytes of media of a run in progress, or of one of the last 20 that ended. Rejects with `content.missing` if they are not
   * to be had: those of a run that was replayed are in its store.
   *
   * @example
   * const bytes = await record.bytesOf('run-17', { type: 'image', hash, mediaType: 'image/png', size });
   */
  bytesOf(runId: string, part: MediaPart): Promise<Uint8Array>;
  /** The breakpoints of the run of that id, beside those of all runs; without an id, those of all runs. */
  breakpoints(runId?: string): readonly Breakpoint[];
}

const CAPACITY = 100_000;

/** The schemas of the options of a recorder. */
export const recorderShape = (): OptionShape<RecorderOptions> => ({
  capacity: optional(aBound(0)),
  secrets: optional(byName(anything())),
});

const check = optionsCheck<RecorderOptions>({ code: 'input.invalid', owner: 'a recorder' }, recorderShape);

/**
 * Records what happens in runs, for inspectors to show: from the turns of their machines and from their events, one ordered, bounded log of actors, charts, transitions with the arrows taken, contexts as patches, and effects as actors of their own.
 *
 * Costs nothing where no run is given it. Nothing that happens in it reaches the run, and secrets are redacted before anything
 * is read.
 *
 * @example
 * const record = recorder();
 * await clerk.run('What is 19 + 23?', { inspect: record });
 * for (const line of record.recording.from()) console.log(line);
 *
 * @throws {TroupeError} `input.invalid` for options that do not fit.
 */
export const recorder = (options: RecorderOptions = {}): Recorder => {
  const { capacity = CAPACITY, secrets } = check(options);
  const failures: unknown[] = [];
  const handles = new Map<string, RunHandle<unknown, unknown>>();
  const breakpoints = new Breakpoints();
  let isJudged = false;
  let found = redactorOf(secrets);
  let isOwn = false;
  const learn = (secret: FieldSecret): void => {
    // The first one is shared by all that have only the environment's secrets.
    if (!isOwn) found = new Redactor(found.secrets);
    isOwn = true;
    found.learn([secret]);
    recording.renewLines();
  };
  const recording: Recording = new Recording({
    capacity: Math.max(1, capacity),
    secrets: () => found,
    onAdded: (entry) => {
      const hit = breakpoints.take(entry);
      const handle = hit && handles.get(hit.run);
      if (hit === undefined || handle === undefined) return;
      const { actor, breakpoint, why } = hit;
      recording.add({ kind: 'break', at: entry.at, actor, breakpoint, why });
      handle.pause();
    },
    onFailure: (error) => {
      failures.push(error);
    },
  });
  const charts = new ChartBook(recording);
  const book = new RunBook((text) => found.text(text));
  const media = new RunMedia();
  const inspects = (run: InspectedRun) => {
    const { handle, runId } = run;
    const ofRun = new RunRecorder(withOwnSecrets(run, found), recording, charts);
    const tell = book.begins(run);
    run.secrets(learn);
    if (handle !== undefined) {
      handles.set(runId, handle);
      media.begins(run);
      const forget = (): void => {
        handles.delete(runId);
        media.ends(runId);
      };
      handle.result.then(forget, forget);
    }
    run.watch((event) => {
      if ('body' in event) {
        tell(event.body, event.moment.at);
        if (!isJudged) breakpoints.spend(runId, event.body);
      }
      ofRun.addEvent(event);
    });
    run.resumed((at) => {
      ofRun.resumed(at);
    });
    return ofRun;
  };
  const breakAt = (wanted: readonly Breakpoint[], runId?: string): void => {
    // Until somebody sets one, nothing is looked for.
    if (wanted.length > 0 && !isJudged) {
      isJudged = true;
      breakpoints.begin(recording.tableau());
      recording.judgeEach();
    }
    breakpoints.set(wanted, runId);
  };
  return {
    inspects,
    breakAt,
    breakpoints: (runId) => breakpoints.of(runId),
    bytesOf: (runId, part) => media.bytesOf(runId, part),
    recording,
    handles,
    failures,
    get runs() {
      return book.runs;
    },
  };
};

/** A run whose secrets need not be looked for where the recorder's are: it has those of the process, and receives all others. */
const withOwnSecrets = (run: InspectedRun, found: Redactor): InspectedRun => {
  const ofProcess = Object.entries(redactorOf().secrets);
  const hasAll = ofProcess.every(([name, value]) => found.secrets[name] === value);
  return hasAll ? { ...run, redact: (value) => value } : run;
};
