import type { ContentOptions } from '../contracts/content/content-options.ts';
import type { RunEntry } from '../contracts/journals/journal.ts';
import type { JournalStore } from '../contracts/journals/journal.ts';
import { isTroupeError } from '../contracts/errors/error.ts';
import type { Inspector } from '../inspect/local/inspect.ts';
import { attachInspector } from '../runtime/inspection/ambient-inspector.ts';
import { endWithDev } from './dev/started-by-dev.ts';
import type { InspectorRequest } from './usage/inspector-request.ts';
import type { LoadedAgent } from './load-agent.ts';
import type { Session } from './session.ts';
import { agentOfRun } from './stored/agent-of-run.ts';

/** The subject of the inspector. */
export interface Inspected {
  readonly session: Session;
  readonly store: JournalStore | undefined;
  /** The place of the bytes of media of stored runs. Default: the store. */
  readonly content?: Pick<ContentOptions, 'blobs'> | undefined;
  /** The agent of stored runs, beside those started by a command. */
  readonly agent: () => LoadedAgent | undefined;
  /** The program, for the pages of other processes. Default: this command. */
  readonly program?: string | undefined;
  /** True to have also what is left of other processes that have ended, looked at or not. */
  readonly isFollowing?: boolean | undefined;
  /** HTML to serve in place of the page, with a run in it. */
  readonly page?: string | undefined;
}

/**
 * Runs `work` with the inspector, and keeps that open until Ctrl-C; without a request there is no inspector, and it
 * ends with the work.
 */
export const withInspector = async (
  wish: InspectorRequest | undefined,
  { session, store, content, agent, program, isFollowing = false, page }: Inspected,
  work: (inspector: Inspector | undefined) => Promise<number>,
): Promise<number> => {
  if (wish === undefined) return work(undefined);
  const [{ prepareInspector }, { starterIn }] = await Promise.all([
    import('../inspect/local/inspect.ts'),
    import('../inspect/local/processes/membership.ts'),
  ]);
  const options = {
    port: wish.port,
    control: wish.isControlled,
    open: wish.isShown,
    wait: wish.isAwaited,
    keepsProcess: true,
    // Of what is recorded already nobody else has need.
    alone: page !== undefined,
    store,
    content,
    page,
    agents: (entry: RunEntry) => {
      const own = agent();
      return entry.agent === own?.name ? own : agentBegunWith(entry, store, session);
    },
  };
  const inspector = await prepareInspector(options, {
    program: program ?? session.command,
    isFollowing,
  }).open();
  const { terminal, signal } = session;
  // It is on the page of the command that started this one.
  const isUnder = starterIn(terminal.environment) !== undefined;
  // Without its address it is of no use, however quiet it is to be.
  if (!isUnder) tellOfInspector(`Inspector: ${inspector.url}`, session);
  endWithDev();
  try {
    const code = await work(inspector);
    if (!isUnder) tellOfEnd(session);
    await untilAborted(signal);
    return code;
  } finally {
    await inspector.close();
  }
};

/** Opens the inspector, attached to all runs that begin in this process until it is closed. */
export const runShown = async (
  { wish, ...inspected }: Inspected & { readonly wish: InspectorRequest },
  work: (inspector: Inspector | undefined) => Promise<number>,
): Promise<number> => {
  let detach = (): void => undefined;
  try {
    return await withInspector(wish, inspected, (inspector) => {
      if (inspector !== undefined) detach = attachInspector(inspector);
      return work(inspector);
    });
  } finally {
    detach();
  }
};

/** Prints a line about the inspector. */
export const tellOfInspector = (line: string, { terminal, sidePaint: paint }: Session): void => {
  terminal.stderr.write(`  ${paint.cyan('◉')} ${line}\n`);
};

/** Says how the page is closed, once what it shows is done. */
export const tellOfEnd = (session: Session): void => {
  const { settings, signal } = session;
  if (!signal.aborted && !settings.quiet && !settings.json)
    tellOfInspector('Ctrl-C closes the inspector.', session);
};

/** Loads the agent of a run that a command started; undefined if that is unknown, or gone. */
const agentBegunWith = async (
  { runId }: RunEntry,
  store: JournalStore | undefined,
  session: Session,
): Promise<LoadedAgent | undefined> => {
  if (store === undefined) return undefined;
  try {
    const { agent } = await agentOfRun({ file: undefined, exportName: undefined }, { store, runId }, session);
    return agent;
  } catch (thrown) {
    if (isTroupeError(thrown)) return undefined;
    throw thrown;
  }
};

/** Resolves at Ctrl-C. */
export const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else
      signal.addEventListener('abort', () => {
        resolve();
      });
  });
