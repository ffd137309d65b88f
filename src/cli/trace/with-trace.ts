import { resolve } from 'node:path';
import type { Hook } from '../../contracts/events/event.ts';
import { oneLine } from '../../base/text/printable.ts';
import { secretsIn } from '../../policy/redaction.ts';
import type { Session } from '../session.ts';

/** Runs `work` with the hooks that write a trace, if one is requested; its end is written before this resolves. */
export const withTrace = async (
  folder: string | undefined,
  session: Session,
  work: (hooks: readonly Hook[]) => Promise<number>,
): Promise<number> => {
  if (folder === undefined) return work([]);
  const { terminal, settings, sidePaint: paint } = session;
  const { traceFiles } = await import('../../inspect/traces/trace-files.ts');
  const traces = traceFiles({
    folder: resolve(terminal.folder, folder),
    secrets: secretsIn(terminal.environment),
  });
  const code = await work([traces]);
  for (const { message } of await traces.written())
    if (!settings.quiet) terminal.stderr.write(`  ${paint.yellow('!')} ${oneLine(message, 400)}\n`);
  return code;
};
