import process from 'node:process';
import { resolve } from 'node:path';
import { isTroupeError, messageOf } from '../../contracts/errors/error.ts';
import type { RunHandle } from '../../contracts/runs/run-handle.ts';
import type { Inspector } from '../../inspect/local/inspect.ts';
import { assertReplays } from '../../runtime/journal/replay/replay.ts';
import { resume } from '../../runtime/journal/resume/resume.ts';
import { assertKey } from '../../models/assert-key.ts';
import { exitCode } from '../exit-code.ts';
import type { LoadedAgent } from '../load-agent.ts';
import { loadAgent } from '../load-agent.ts';
import { failureLine } from '../words/failure-line.ts';
import type { Attendance } from '../perform.ts';
import { perform } from '../perform.ts';
import { dataIn, explainInput } from '../run.ts';
import type { Session } from '../session.ts';
import { modelOf } from '../session.ts';
import { newRunId } from '../stored/begin.ts';
import { keepCommand } from '../stored/command-record.ts';
import type { OpenStore } from '../stored/open-store.ts';
import { assertReadable, isKeptOutside, withStoreIfAny } from '../stored/open-store.ts';
import type { InspectCommand } from '../usage/commands.ts';
import { runShown } from '../with-inspector.ts';
import type { Begin } from './dev-messages.ts';
import { orderSchema } from './dev-messages.ts';
import { loadProblem } from './load-problem.ts';
import { END_WITHIN_MS, tellDev } from './started-by-dev.ts';

/** A definition that `troupe dev` has loaded, and the file that it is in. */
interface Definition {
  readonly agent: LoadedAgent;
  readonly wanted: InspectCommand & { readonly file: string };
  readonly session: Session;
  readonly opened: OpenStore | undefined;
}

/**
 * Loads a definition for `troupe dev`, waits for its turn, and then has it resume the runs that it is given, or run the INPUT: until `troupe
 * dev` replaces it.
 */
export const showDefinition = async (
  wanted: InspectCommand & { readonly file: string },
  session: Session,
): Promise<number> => {
  const { file, exportName, wish } = wanted;
  const { terminal, settings, sidePaint } = session;
  let agent: LoadedAgent;
  try {
    agent = await loadAgent(file, terminal.folder, exportName);
  } catch (thrown) {
    // Said by `troupe dev`, which knows more of the file.
    if (settings.debug) terminal.stderr.write(failureLine(thrown, sidePaint, true));
    tellDev(loadProblem(thrown));
    return exitCode.usage;
  }
  const begin = await turnOf(session);
  if (begin === undefined) return exitCode.aborted;
  return withStoreIfAny(session, assertReadable, (opened) =>
    runShown(
      { wish, session, store: opened?.store, agent: () => agent, program: file },
      async (inspector) => {
        const own = inspector === undefined ? session : leaving(inspector, session);
        await carryOn({ agent, wanted, session: own, opened }, begin, inspector);
        return exitCode.answered;
      },
    ),
  );
};

/** The session of runs that are suspended before it is over: when this definition is replaced, and when `troupe dev` ends. */
const leaving = (inspector: Inspector, session: Session): Session => {
  process.on('message', (message) => {
    const { data } = orderSchema.safeParse(message);
    if (data !== undefined && 'suspendWithinMs' in data)
      void leaveRuns(inspector, session, data.suspendWithinMs);
  });
  // A run that nothing can resume is aborted.
  if (!isKeptOutside(session)) return session;
  const { signal } = session;
  const over = new AbortController();
  signal.addEventListener('abort', () => {
    void leaveRuns(inspector, session, END_WITHIN_MS).then(() => {
      over.abort(signal.reason);
    });
  });
  return { ...session, signal: over.signal };
};

/** Says that the definition is loaded; resolves when it is to begin, or with undefined when another version takes its place. */
const turnOf = ({ signal }: Session): Promise<Begin | undefined> =>
  new Promise((done) => {
    const take = (message: unknown): void => {
      const { data } = orderSchema.safeParse(message);
      if (data === undefined || !('main' in data)) return;
      process.off('message', take);
      done(data);
    };
    process.on('message', take);
    signal.addEventListener('abort', () => {
      done(undefined);
    });
    tellDev({ isLoaded: true });
  });

/** Suspends all runs, and tells `troupe dev` which have not ended. What takes longer than it may is left as by a crash. */
const leaveRuns = async ({ recorder }: Inspector, session: Session, withinMs: number): Promise<void> => {
  const runs = isKeptOutside(session) ? [...recorder.handles] : [];
  const breakpoints = [undefined, ...recorder.handles.keys()]
    .map((run) => ({ run, breakpoints: [...recorder.breakpoints(run)] }))
    .filter((each) => each.breakpoints.length > 0);
  const left = await Promise.all(runs.map(([run, handle]) => suspendRun(run, handle, withinMs)));
  tellDev({ left: left.filter((run) => run !== undefined), breakpoints });
};

/** Suspends a run; returns undefined where it has ended. */
const suspendRun = async (run: string, handle: AnyHandle, withinMs: number): Promise<string | undefined> => {
  try {
    await handle.suspend({ withinMs });
    return run;
  } catch (thrown) {
    // Whatever else it is, the next one that resumes it finds it, too.
    return isTroupeError(thrown, 'run.ended') ? undefined : run;
  }
};

/** Resumes the runs that were left, or runs the INPUT, in the foreground of the terminal. */
const carryOn = async (
  definition: Definition,
  { main, others, breakpoints }: Begin,
  inspector: Inspector | undefined,
): Promise<void> => {
  // Not before a run is resumed: what is replayed was held there already.
  const breakAt = (): void => {
    for (const { run, breakpoints: own } of breakpoints) inspector?.recorder.breakAt(own, run);
  };
  const { agent, session } = definition;
  for (const run of others)
    await ifContinued(definition, run, async (store) => {
      await resume(agent, run, { ...ownModel(definition), store, signal: session.signal });
      tellDev({ continued: run });
    });
  if (main === null) {
    breakAt();
    await runInput(definition);
    return;
  }
  await ifContinued(definition, main, (store) =>
    inForeground(definition, main, async (attendance) => {
      const handle = await resume(agent, main, { ...attendance, store });
      tellDev({ continued: main });
      breakAt();
      return handle;
    }),
  );
};

/** Carries out `work` for a run which this definition continues; otherwise says why it is held. */
const ifContinued = async (
  definition: Definition,
  run: string,
  work: (store: OpenStore['store']) => Promise<void>,
): Promise<void> => {
  const { agent, opened } = definition;
  if (opened === undefined) return;
  const { store } = opened;
  try {
    await assertReplays(agent, run, { ...ownModel(definition), store });
    await work(store);
  } catch (thrown) {
    if (!isTroupeError(thrown)) throw thrown;
    tellDev({ held: run, reason: messageOf(thrown) });
  }
};

/** Runs the INPUT, as `troupe run` does. */
const runInput = async (definition: Definition): Promise<void> => {
  const { agent, wanted, session, opened } = definition;
  const { input, isData, file, exportName } = wanted;
  if (input === undefined) return;
  const run = newRunId();
  const store = opened?.store;
  if (store !== undefined)
    await keepCommand(store, run, {
      v: 1,
      command: 'run',
      file: resolve(session.terminal.folder, file),
      ...(exportName === undefined ? {} : { exportName }),
      ...(session.settings.model === undefined ? {} : { model: session.settings.model }),
    });
  const given = isData ? dataIn(input) : input;
  await inForeground(definition, run, (attendance) => {
    if (isKeptOutside(session)) tellDev({ begun: run });
    return agent.stream(given, { ...attendance, runId: run, ...(store === undefined ? {} : { store }) });
  });
};

/** Shows a run in the terminal to its end. One that ends without an end on record is held. */
const inForeground = async (
  definition: Definition,
  run: string,
  start: (attendance: Attendance) => AnyHandle | Promise<AnyHandle>,
): Promise<void> => {
  const { session, opened, wanted } = definition;
  let lost: unknown;
  const note = (thrown: unknown): void => {
    lost = thrown;
  };
  await perform(
    async (attendance) => {
      try {
        const handle = await start(attendance);
        handle.result.catch(note);
        return handle;
      } catch (thrown) {
        note(thrown);
        throw thrown;
      }
    },
    {
      session,
      ...ownModel(definition),
      explain: explainInput(wanted.isData),
      isAnswerable: true,
      kept: opened === undefined ? undefined : { ...opened, runId: run, isParked: false },
    },
  );
  if (isTroupeError(lost, 'run.suspended')) return;
  const entry = isKeptOutside(session) ? await opened?.store.entry(run) : undefined;
  if (entry?.status === 'running' || entry?.status === 'waiting')
    tellDev({ held: run, reason: messageOf(lost) });
  else tellDev({ ended: run });
};

type AnyHandle = RunHandle<unknown, unknown>;

/** The model of the command line, in place of the agents' own. */
const ownModel = ({ session }: Definition) => {
  if (session.settings.model === undefined) return {};
  const model = modelOf(session);
  assertKey(model, session.terminal.environment);
  return { model };
};
