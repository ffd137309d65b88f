import { canonical } from '../../base/json/canonical.ts';
import { lasting } from '../../base/text/number-words.ts';
import { oneLine } from '../../base/text/printable.ts';
import type { AuditEntry } from '../../inspect/audit/audit-entry.ts';
import type { Oversight, OverseenRequest } from '../../inspect/audit/oversight.ts';
import { timeWords, WIDEST_ID } from '../stored/run-words.ts';
import { fittedLine } from '../terminal/fitted-line.ts';
import type { Screen } from '../terminal/screen.ts';
import { shownLine } from '../terminal/screen.ts';
import type { Cell } from '../terminal/table.ts';
import { tableLines } from '../terminal/table.ts';
import { wrappedLine } from '../terminal/wrapped-text.ts';

/** The fields of an entry in a table. */
export const entryCells = (entry: AuditEntry, { paint, columns }: Screen): readonly Cell[] => {
  const line = (text: string, most = 200): string => shownLine(text, most, columns);
  const { at, runId, seq, path, action, tool, outcome, person, onBehalfOf, rule, content, digest } = entry;
  const who = [
    ...(person === undefined ? [] : [`by ${person}`]),
    ...(onBehalfOf === undefined ? [] : [`for ${onBehalfOf}`]),
    ...(rule === undefined ? [] : [`rule ${rule}`]),
  ];
  // The id of a request is for programs.
  const { id: _, ...texts } = content ?? {};
  const isErased = digest !== undefined && content === undefined && who.length === 0;
  return [
    { text: timeWords(at) },
    { text: line(runId), most: WIDEST_ID },
    { text: String(seq), isRight: true },
    { text: action },
    { text: outcome, paint: outcome === 'success' ? paint.green : paint.yellow },
    { text: line(tool ?? ''), most: 32 },
    { text: line(path), most: 32 },
    { text: line(who.join(', ')), most: 48 },
    { text: isErased ? '(erased)' : line(Object.keys(texts).length === 0 ? '' : canonical(texts), 120) },
  ];
};

/** An oversight report as lines of text. */
export const reportLines = (found: Oversight, { paint, columns }: Screen): readonly string[] => {
  const { requests, counts, people, medianMs, grantedAtOnce, deniedByRule } = found;
  const sums = Object.entries(counts).flatMap(([outcome, count]) =>
    count === 0 ? [] : [`${count} ${outcome}`],
  );
  const asked = `${paint.bold(`Asked of people: ${requests.length}`)}${sums.length === 0 ? '' : ` (${sums.join(', ')})`}`;
  const speed = medianMs === undefined ? [] : [`Decided after ${lasting(medianMs)} (median)`];
  return [
    ...wrappedLine(asked, columns),
    ...speed,
    `Approved in under 2 s: ${grantedAtOnce}`,
    `Denied by a rule, no person asked: ${deniedByRule}`,
    ...(people.length === 0 ? [] : ['']),
    ...tableLines(
      people.map(({ person, decided, granted, grantedAtOnce: fast, medianMs: after }) => [
        { text: nameOf(person), most: 40 },
        { text: `${decided} decided` },
        { text: `${granted} granted` },
        { text: `${fast} in under 2 s` },
        { text: after === undefined ? '' : `median ${lasting(after)}` },
      ]),
      columns,
    ).map((line) => fittedLine(line, columns)),
    ...(requests.length === 0 ? [] : ['']),
    ...tableLines(
      requests.map((request) => requestCells(request, { paint, columns })),
      columns,
    ).map((line) => fittedLine(line, columns)),
  ];
};

const nameOf = (person: string | undefined): string => (person === undefined ? 'not named' : oneLine(person));

const requestCells = (request: OverseenRequest, { paint, columns }: Screen): readonly Cell[] => {
  const line = (text: string, most = 200): string => shownLine(text, most, columns);
  const { askedAt, runId, kind, tool, outcome, people, afterMs, isChanged, shown } = request;
  const decision = `${outcome}${isChanged === true ? ', changed' : ''}`;
  return [
    { text: timeWords(askedAt) },
    { text: line(runId), most: WIDEST_ID },
    { text: kind },
    { text: line(tool ?? ''), most: 32 },
    { text: decision, paint: outcome === 'granted' || outcome === 'answered' ? paint.green : paint.yellow },
    { text: people.length === 0 ? nameOf(undefined) : line(people.join(', ')), most: 32 },
    { text: afterMs === undefined ? '' : lasting(afterMs), isRight: true },
    { text: shown === undefined ? '(erased)' : line(canonical(shown), 120) },
  ];
};
