import { injectFaults } from '../../testing/resilience/inject-faults.ts';
import type { Json } from '../../base/json/json.ts';
import { withoutUndefined } from '../../base/json/without-undefined.ts';
import { isObject } from '../../base/schemas/option-schemas.ts';
import { isTroupeError, messageOf, TroupeError } from '../../contracts/errors/error.ts';
import type { InjectFaultsOptions } from '../../testing/resilience/fault-options.ts';
import { assertPlace, writeReport } from '../evals/write-report.ts';
import { exitCode } from '../exit-code.ts';
import { loadAgent, loadModule } from '../load-agent.ts';
import { printToStderr } from '../terminal/print-to-stderr.ts';
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
  const { file, exportName, faults, limit, html, isApproved } = wanted;
  assertPlace('--html', html, session);
  const agent = await loadAgent(file, terminal.folder, exportName);
  const exported = await exportedOptions(file, terminal.folder);
  const progress = { words: `Running ${agent.name} without a fault` };
  const end = spinner(() => progress.words, session);
  const report = await injectFaults(agent, {
    ...exported,
    ...withoutUndefined({ faults, limit, approve: isApproved || undefined }),
    input: inputOf(wanted),
    signal,
    onProgress: (injected, of) => {
      progress.words = `Injecting faults into ${agent.name}: ${injected} of ${of}`;
    },
    ...(settings.model === undefined ? {} : { model: modelOf(session) }),
  })
    .catch((thrown: unknown) => {
      throw explainOption(thrown);
    })
    .finally(end);
  if (settings.json) {
    const { outcomes, ...all } = report;
    for (const each of [...outcomes, all]) terminal.stdout.write(jsonLine(each));
  } else if (!settings.quiet)
    for (const line of resilienceLines(report, session)) terminal.stdout.write(`${line}\n`);
  await writeReport('--html', html, () => resiliencePage(report), session);
  if (signal.aborted) return exitCode.aborted;
  return report.weak > 0 || report.stopped !== undefined ? exitCode.unanswered : exitCode.answered;
};

/** The export of a module with further options of `injectFaults`, which are checked there. */
const OPTIONS = 'resilience';

const exportedOptions = async (file: string, folder: string): Promise<Partial<InjectFaultsOptions>> => {
  const { [OPTIONS]: options = {} } = await printToStderr(() => loadModule(file, folder));
  if (isObject(options)) return options;
  throw new TroupeError(
    'command.usage',
    `Cannot load ${file} as its export \`${OPTIONS}\` is no object with options of injectFaults: write \`export const ${OPTIONS} = { approve: true }\``,
  );
};

/** An option of a program in the words of the command. */
const explainOption = (thrown: unknown): unknown =>
  isTroupeError(thrown, 'input.invalid')
    ? new TroupeError(
        'input.invalid',
        thrown.message.replace(
          'give `approve: true`, or `run: { person }`',
          `give --approve, or export \`${OPTIONS} = { run: { person } }\` beside the agent`,
        ),
        { cause: thrown },
      )
    : thrown;

const inputOf = ({ input = '', isData }: ResilienceCommand): Json => {
  if (!isData) return input;
  try {
    return JSON.parse(input);
  } catch (thrown) {
    throw wrong(`the input is no JSON: ${messageOf(thrown)}`, 'resilience');
  }
};
