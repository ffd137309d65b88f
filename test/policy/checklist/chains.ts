import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { auditLog, verifyAudit } from '../../../src/inspect/index.ts';
import { readChain } from '../../../src/inspect/audit/read-chain.ts';
import { auditedRun, changeLines, temporaryFolder, textOf } from '../../inspect/audit/audit-kit.ts';
import type { Row } from './row.ts';

const FILE = 'r.jsonl';

/** The audit log of a run, changed at each of its entries, and as a whole; refused is what is found, at the right entry. */
export const auditLogs = async (): Promise<Row> => {
  const folder = temporaryFolder();
  const [logs, anchor] = [join(folder, 'logs'), join(folder, 'heads.jsonl')];
  await auditedRun('r', auditLog({ folder: logs, anchor }));
  const lines = textOf(join(logs, FILE)).split('\n');
  // The first line is the head of the chain, the last one empty.
  const entries = lines.slice(1, -1);
  const firstBad = (changed: readonly string[]) => readChain(changed.join('\n'), FILE).problems[0]?.seq;
  const flipped = (line: string): string => line.replace(/"action":"./, (found) => `${found}x`);
  const changed = (name: string, at: number, seq: number, change: (line: number) => readonly string[]) =>
    [`${name} ${at}`, () => firstBad(change(at + 1)) === seq] as const;
  const inner = entries.slice(0, -1).map((_, at) => at);
  const anchored = (change: () => void) => (): boolean => {
    change();
    const isFound = verifyAudit(logs, { anchor }).problems.length > 0;
    copyFileSync(join(folder, 'whole'), join(logs, FILE));
    return isFound;
  };
  copyFileSync(join(logs, FILE), join(folder, 'whole'));
  return {
    hostile: [
      ...entries.map((_, at) =>
        changed('changed', at, at, (line) => lines.with(line, flipped(lines[line] ?? ''))),
      ),
      ...inner.map((at) => changed('removed', at, at, (line) => lines.toSpliced(line, 1))),
      ...entries.map((_, at) =>
        changed('twice', at, at + 1, (line) => lines.toSpliced(line + 1, 0, lines[line] ?? '')),
      ),
      ...inner.map((at) =>
        changed('exchanged', at, at, (line) =>
          lines.with(line, lines[line + 1] ?? '').with(line + 1, lines[line] ?? ''),
        ),
      ),
      ['the end removed', anchored(() => changeLines(logs, FILE, (all) => [...all.slice(0, -3), '']))],
      ['the file removed', anchored(() => rmSync(join(logs, FILE)))],
    ],
    honest: [
      ['as it is', () => verifyAudit(logs, { anchor }).problems.length > 0],
      ['as it is, read alone', () => firstBad(lines) !== undefined],
    ],
  };
};
