import { resolve } from 'node:path';
import { TroupeError } from '../../contracts/errors/error.ts';
import { blame } from '../../testing/blame/blame.ts';
import { exitCode } from '../exit-code.ts';
import { loadModule } from '../load-agent.ts';
import type { Session } from '../session.ts';
import type { AgentOfRun } from '../stored/agent-of-run.ts';
import { agentOfRun } from '../stored/agent-of-run.ts';
import { findRun } from '../stored/find-run.ts';
import { withStore } from '../stored/open-store.ts';
import { jsonLine } from '../stored/run-words.ts';
import type { BlameCommand } from '../usage/commands.ts';
import { nameOption } from '../usage/name-option.ts';
import { linesOfBlame } from './blame-words.ts';
import { loadCheck } from './load-check.ts';
import type { NamedExport } from './written-test.ts';
import { assertWritable, writeTest } from './written-test.ts';

/** `troupe blame`: finds the smallest change that turns a failed run, and writes it as a test. */
export const blameRun = (wanted: BlameCommand, session: Session): Promise<number> => {
  const { settings, terminal, signal } = session;
  return withStore(session, async ({ store }) => {
    const { runId } = await findRun(store, wanted.runId);
    const { check, isLive, tools, budget: budgetUsd, samples, limit } = wanted;
    const loaded = await agentOfRun(wanted, { store, runId }, session);
    const { fails, exportName } = await loadCheck(check, terminal.folder).catch((thrown: unknown) => {
      throw nameOption(thrown, ['command.usage'], '--fails');
    });
    const write = wanted.write === undefined ? undefined : resolve(terminal.folder, wanted.write);
    const exported = write === undefined ? undefined : await exportOf(loaded);
    if (write !== undefined) await assertWritable(write);
    const { agent, model } = loaded;
    const found = await blame(agent, {
      store,
      runId,
      fails,
      samples,
      limit,
      signal,
      live: isLive && { tools, budgetUsd },
      ...(model === undefined ? {} : { model }),
    });
    const files =
      write === undefined || exported === undefined
        ? []
        : await writeTest(write, found, exported, { file: resolve(terminal.folder, check.file), exportName });
    const { fork, ...report } = found;
    if (settings.json)
      terminal.stdout.write(jsonLine({ ...report, ...(fork && { fork: fork.runId }), written: files }));
    else if (!settings.quiet) {
      for (const line of linesOfBlame(found, isLive, session)) terminal.stdout.write(`${line}\n`);
      for (const file of files) terminal.stdout.write(`Written: ${file}\n`);
    }
    if (signal.aborted) return exitCode.aborted;
    return found.verdict === 'found' ? exitCode.answered : exitCode.unanswered;
  });
};

/** The export that a test can import the agent by. */
const exportOf = async ({ agent, record }: AgentOfRun): Promise<NamedExport> => {
  if (record.command !== 'run')
    throw new TroupeError(
      'command.usage',
      'Cannot write a test with --write as the agent is that of `troupe ask`, which no module exports',
    );
  const exports = await loadModule(record.file, '.');
  const names = Object.keys(exports).filter((name) => exports[name] === agent);
  return { file: record.file, exportName: names.find((name) => name === 'default') ?? names[0] ?? 'default' };
};
