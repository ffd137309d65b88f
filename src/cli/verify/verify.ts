import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import { verify, verifyAmong } from '../../testing/verify/verify.ts';
import type { Proof } from '../../testing/verify/proof.ts';
import { exitCode } from '../exit-code.ts';
import type { Session } from '../session.ts';
import { findRun } from '../stored/find-run.ts';
import { withStore } from '../stored/open-store.ts';
import { jsonLine } from '../stored/run-words.ts';
import type { LoadedProof } from './load-properties.ts';
import { loadProof } from './load-properties.ts';
import type { VerifyCommand } from './verify-command.ts';
import type { ComparedReports } from './proof-report.ts';
import { compareReports, readReport, reportOfProof, writeReport } from './proof-report.ts';
import { linesOfAudit, linesOfProof } from './verify-words.ts';

/** `troupe verify`: proves the properties of a module's agent or team, or audits the runs of a store by them. */
export const verifyModule = async (wanted: VerifyCommand, session: Session): Promise<number> => {
  const loaded = await loadProof(wanted, session.terminal.folder);
  return wanted.isAudit ? auditStore(wanted, loaded, session) : proveModule(wanted, loaded, session);
};

const proveModule = async (
  wanted: VerifyCommand,
  { agent, others, properties, options }: LoadedProof,
  session: Session,
): Promise<number> => {
  const { settings, terminal, signal } = session;
  const { mermaid, file } = wanted;
  const at = (place: string): string => resolve(terminal.folder, place);
  const before = wanted.against === undefined ? undefined : readReport(at(wanted.against));
  const depth = before === undefined ? wanted.depth : before.depth;
  const proof = await verifyAmong(agent, others, {
    ...options,
    properties,
    signal,
    ...(depth === undefined ? {} : { depth }),
  });
  if (mermaid !== undefined) writeDiagram(at(mermaid), proof, file);
  const report = reportOfProof(proof, depth);
  if (wanted.report !== undefined)
    writeReport(at(wanted.report), report, wanted.sign === undefined ? undefined : at(wanted.sign));
  const key = wanted.key === undefined ? undefined : at(wanted.key);
  const compared = before === undefined ? undefined : compareReports(before, report, key);
  if (settings.json) terminal.stdout.write(jsonLine({ ...plainProof(proof), against: compared }));
  else if (!settings.quiet)
    for (const line of [...linesOfProof(proof, session), ...linesOfComparison(compared)])
      terminal.stdout.write(`${line}\n`);
  if (signal.aborted) return exitCode.aborted;
  const isSame = compared === undefined || (compared.differs.length === 0 && compared.signature !== 'wrong');
  return isSame && proof.verdict === 'holds' && proof.deadEnds.length === 0
    ? exitCode.answered
    : exitCode.unanswered;
};

const linesOfComparison = (compared: ComparedReports | undefined): readonly string[] => {
  if (compared === undefined) return [];
  const { differs, signature } = compared;
  const found =
    differs.length === 0 ? '✓ The report says the same' : `✗ The report differs in: ${differs.join(', ')}`;
  return [found, SIGNATURES[signature]];
};

const SIGNATURES = {
  none: '! It is not signed',
  valid: '✓ It is signed by that key',
  own: '! It is signed, by the key that it names: give --key FILE to see whose it is',
  wrong: '✗ It is not signed by that key, or was changed since',
} as const;

const auditStore = (
  { run, limit }: VerifyCommand,
  { agent, properties }: LoadedProof,
  session: Session,
): Promise<number> =>
  withStore(session, async ({ store }) => {
    const { settings, terminal, signal } = session;
    const runs = run === undefined ? undefined : [(await findRun(store, run)).runId];
    const audit = await verify(agent, { properties, over: store, runs, limit, signal });
    if (settings.json) {
      const { runs: all, ...summary } = audit;
      for (const each of [...all, summary]) terminal.stdout.write(jsonLine(each));
    } else if (!settings.quiet)
      for (const line of linesOfAudit(audit, session)) terminal.stdout.write(`${line}\n`);
    if (signal.aborted) return exitCode.aborted;
    return audit.violated + audit.unread === 0 ? exitCode.answered : exitCode.unanswered;
  });

/** A store is no data. */
const plainProof = ({ violations, ...report }: Proof): object => ({
  ...report,
  violations: violations.map(({ journal: _journal, ...violation }) => violation),
});

/** @throws {TroupeError} `command.usage` where there is no story, or the file cannot be written. */
const writeDiagram = (place: string, { violations, deadEnds }: Proof, file: string): void => {
  const story = violations[0]?.story ?? deadEnds[0];
  if (story === undefined)
    throw new TroupeError(
      'command.usage',
      `Cannot write a diagram to ${place} as all properties of ${file} hold: leave --mermaid out`,
    );
  try {
    writeFileSync(place, story.diagram);
  } catch (thrown) {
    throw new TroupeError(
      'command.usage',
      `Cannot write a diagram to ${place} as it failed: ${messageOf(thrown)}`,
      {
        cause: thrown,
      },
    );
  }
};
