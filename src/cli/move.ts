import { several } from '../base/text/number-words.ts';
import { moveRun } from '../runtime/journal/moves/move-run.ts';
import { exitCode } from './exit-code.ts';
import type { Session } from './session.ts';
import { COMMANDS_ROOM } from './stored/command-record.ts';
import { findRun } from './stored/find-run.ts';
import { isKeptOutside, withStore, withStoreMade } from './stored/open-store.ts';
import { jsonLine, timeWords } from './stored/run-words.ts';
import type { MoveCommand } from './usage/commands.ts';
import { wrong } from './usage/wrong-usage.ts';

/** `troupe move`: moves a run to another store, where it goes on. */
export const move = (wanted: MoveCommand, session: Session): Promise<number> =>
  withStore(session, async ({ store: from }) => {
    const { terminal, settings } = session;
    const { runId } = await findRun(from, wanted.runId);
    const there: Session = { ...session, settings: { ...settings, store: wanted.to, storeOption: '--to' } };
    if (!isKeptOutside(there))
      throw wrong(`nobody finds a run in --to ${wanted.to}: name a FILE (SQLite) or postgres://…`, 'move');
    return withStoreMade(there, async ({ store: to }) => {
      const { rows, digest, movedAt } = await moveRun({ from, to, runId, rooms: [COMMANDS_ROOM] });
      if (settings.json)
        terminal.stdout.write(jsonLine({ runId, from: from.name, to: to.name, rows, digest, movedAt }));
      else if (!settings.quiet)
        terminal.stderr.write(
          movedAt === undefined
            ? `Moved run ${runId} to ${to.name}: ${several(rows, 'row')}, read back and found equal\n`
            : `Run ${runId} was moved to ${to.name} before, ${timeWords(movedAt)}: nothing was done\n`,
        );
      return exitCode.answered;
    });
  });
