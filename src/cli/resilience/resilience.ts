import { injectFaults } from '../../testing/resilience/inject-faults.ts';
import type { Json } from '../../base/json/json.ts';
import { messageOf } from '../../contracts/errors/error.ts';
import { assertPlace, writeReport } from '../evals/write-report.ts';
import { exitCode } from '../exit-code.ts';
import { loadAgent } from '../load-agent.ts';
import type { Session } from '../session.ts';
import { modelOf } from '../session.ts';
import { jsonLine } from '../stored/run-words.ts';
import { spinner } from '../terminal/spinner.ts';
import type { ResilienceCommand } from '../evals/eval-command.ts';
import { wrong } from '../usage/wrong-usage.ts';
import { resiliencePage } from './resilience-page.ts';
import { resilienceLines } from './resilience-words.ts';

/** `troupe resilience`: injects faults into all that an agent depends on, and says how each run ended. Exit code 1 where there is a weak point. */
export const reportResilience = async (wanted: ResilienceCommand, session: Session): Promise<number> => {
  const { terminal, settings, signal } = session;
  const { file, exportName, faults, limit, html } = wanted;
  assertPlace('--html', html, session);
  const agent = await loadAgent(file, terminal.folder, exportName);
  const progress = { words: `Running ${agent.name} without a fault` };
  const end = spinner(() => progress.words, session);
  const report = await injectFaults(agent, {
    input: inputOf(wanted),
    faults,
    limit,
    signal,
    onProgress: (injected, of) => {
      progress.words = `Injecting faults into ${agent.name}: ${injected} of ${of}`;
    },
    ...(settings.model === undefined ? {} : { model: modelOf(session) }),
  }).finally(end);
  if (settings.json) {
    const { outcomes, ...all } = report;
    for (const each of [...outcomes, all]) terminal.stdout.write(jsonLine(each));
  } else if (!settings.quiet)
    for (const line of resilienceLines(report, session)) terminal.stdout.write(`${line}\n`);
  await writeReport('--html', html, () => resiliencePage(report), session);
  if (signal.aborted) return exitCode.aborted;
  return report.weak > 0 || report.stopped !== undefined ? exitCode.unanswered : exitCode.answered;
};

const inputOf = ({ input = '', isData }: ResilienceCommand): Json => {
  if (!isData) return input;
  try {
    return JSON.parse(input);
  } catch (thrown) {
    throw wrong(`the input is no JSON: ${messageOf(thrown)}`, 'resilience');
  }
};
