import type { PruneCommand } from '../usage/commands.ts';
import { exitCode } from '../exit-code.ts';
import { several } from '../../base/text/number-words.ts';
import type { Session } from '../session.ts';
import { contentIn } from './content-in.ts';
import { dropCommands } from './command-record.ts';
import { withStore } from './open-store.ts';
import { jsonLine } from './run-words.ts';

const OVER = ['completed', 'stopped', 'aborted', 'failed'] as const;

/** `troupe prune`: removes runs that have ended and were not written to for some time. */
export const prune = (
  { olderThanMs, status, blobs, isDryRun }: PruneCommand,
  session: Session,
): Promise<number> =>
  withStore(session, async ({ store }) => {
    const { terminal, settings } = session;
    const idleSince = Date.now() - olderThanMs;
    // An unfinished run is never removed, whatever the options.
    const wanted = OVER.filter((known) => status?.includes(known) ?? true);
    const query = { status: wanted, idleSince };
    const old = await store.list(query);
    if (!isDryRun && wanted.length > 0) await store.prune(query, await contentIn(blobs, session));
    const gone: string[] = [];
    for (const { runId } of old) if (isDryRun || (await store.entry(runId)) === undefined) gone.push(runId);
    if (!isDryRun) await dropCommands(store, gone);
    if (settings.json) terminal.stdout.write(jsonLine({ isDryRun, runs: gone }));
    else if (!settings.quiet)
      terminal.stdout.write(`${isDryRun ? 'Would remove' : 'Removed'} ${several(gone.length, 'run')}\n`);
    return exitCode.answered;
  });
