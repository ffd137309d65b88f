import type { ContentOptions } from '../contracts/content/content-options.ts';
import type { RunEntry } from '../contracts/journals/journal.ts';
import type { RunInspector } from '../contracts/events/inspection.ts';
import type { JournalStore } from '../contracts/journals/journal.ts';
import { isTroupeError } from '../contracts/errors/error.ts';
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
  /** HTML to serve in place of the page, with a run in it. */
  readonly page?: string | undefined;
}

/**
 * Runs `work` with the inspector, and keeps that open until Ctrl-C; without a request there is no inspector, and it
 * ends with the work.
 */
export const withInspector = async (
  wish: InspectorRequest | undefined,
  { session, store, content, agent, page }: Inspected,
  work: (inspector: RunInspector | undefined) => Promise<number>,
): Promise<number> => {
  if (wish === undefined) return work(undefined);
  const { inspect } = await import('../inspect/local/inspect.ts');
  const inspector = await inspect({
    port: wish.port,
    control: wish.isControlled,
    open: wish.isShown,
    wait: wish.isAwaited,
    keepsProcess: true,
    store,
    content,
    page,
    agents: (entry) => {
      const own = agent();
      return entry.agent === own?.name ? own : agentBegunWith(entry, store, session);
    },
  });
  const { terminal, settings, sidePaint: paint, signal } = session;
  const tell = (line: string): void => {
    terminal.stderr.write(`  ${paint.cyan('◉')} ${line}\n`);
  };
  // Without its address it is of no use, however quiet it is to be.
  tell(`Inspector: ${inspector.url}`);
  try {
    const code = await work(inspector);
    if (!signal.aborted && !settings.quiet && !settings.json) tell('Ctrl-C closes the inspector.');
    await untilAborted(signal);
    return code;
  } finally {
    await inspector.close();
  }
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

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else
      signal.addEventListener('abort', () => {
        resolve();
      });
  });
