import { replay as goThrough } from '../../runtime/journal/replay/replay.ts';
import { DeterminismError } from '../../runtime/journal/replay/determinism-error.ts';
import type { Code } from '../usage/commands.ts';
import { exitCode } from '../exit-code.ts';
import { several } from '../../base/text/number-words.ts';
import type { Session } from '../session.ts';
import { agentOfRun } from './agent-of-run.ts';
import { findRun } from './find-run.ts';
import { withStore } from './open-store.ts';
import { jsonLine } from './run-words.ts';

/**
 * `troupe replay`: replays a run, and reports whether its agents still behave the same. Nothing is executed or written.
 */
export const replay = (wanted: Code & { readonly runId: string }, session: Session): Promise<number> =>
  withStore(session, async ({ store }) => {
    const { terminal, settings, paint } = session;
    const { runId, status } = await findRun(store, wanted.runId);
    const { agent } = await agentOfRun(wanted, { store, runId }, session);
    try {
      const { events } = await goThrough(agent, runId, { store });
      if (settings.json) terminal.stdout.write(jsonLine({ runId, isEqual: true, events: events.length }));
      else if (!settings.quiet)
        terminal.stdout.write(
          `${paint.green('✓')} Run ${runId} replays as recorded: ${several(events.length, 'event')}, ${status}\n`,
        );
      return exitCode.answered;
    } catch (thrown) {
      if (!settings.json || !(thrown instanceof DeterminismError)) throw thrown;
      terminal.stdout.write(jsonLine({ runId, isEqual: false, divergence: thrown.divergence }));
      return exitCode.unanswered;
    }
  });
