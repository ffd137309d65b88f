import * as z from 'zod/mini';
import type { Json } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';
import { nearestName } from '../../base/text/nearest-name.ts';
import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import type { EvalCase } from '../../contracts/tasks/eval-case.ts';
import { evalCaseSchema } from '../../contracts/tasks/eval-case.ts';
import { parseCsv } from './csv.ts';

/** A row of a dataset as it was found, and the place of it for messages. */
interface FoundRow {
  readonly place: string;
  readonly value: unknown;
}

/**
 * Reads the cases of a dataset from the text of a file: JSON Lines, a JSON list, or CSV with a row of names, by its ending.
 *
 * @throws {TroupeError} `input.invalid` for another ending, for what cannot be read, with its line, and for no case at all.
 */
export const casesInText = (text: string, file: string): readonly EvalCase[] => {
  const name = `'${file}'`;
  const ending = /\.(\w+)$/.exec(file)?.[1]?.toLowerCase();
  switch (ending) {
    case 'jsonl':
    case 'ndjson':
      return casesFrom(rowsOfLines(text, name), name);
    case 'json':
      return casesFrom(rowsOfList(text, name), name);
    case 'csv':
      return casesFrom(rowsOfTable(text, name), name);
    default:
      throw new TroupeError(
        'input.invalid',
        `Cannot read the dataset ${name} as its ending is not one of .jsonl, .ndjson, .json, .csv: found ${ending ?? 'none'}`,
      );
  }
};

/** Validates the cases of a list. @throws {TroupeError} `input.invalid` for the first that is none. */
export const casesInList = (list: readonly unknown[], name: string): readonly EvalCase[] =>
  casesFrom(
    list.map((value, index) => ({ place: `case ${index + 1} of ${name}`, value })),
    name,
  );

const casesFrom = (rows: readonly FoundRow[], name: string): readonly EvalCase[] => {
  if (rows.length === 0)
    throw new TroupeError('input.invalid', `Cannot evaluate by the dataset ${name} as it has no case`);
  const places = new Map<string, string>();
  return rows.map(({ place, value }, index) => {
    const read = z.safeParse(evalCaseSchema(), value);
    if (!read.success) throw invalid(place, issueWords(tellingIssue(read.error.issues), value));
    const id = read.data.id ?? `${index + 1}`;
    const before = places.get(id);
    if (before !== undefined) throw invalid(place, `its id '${id}' is that of ${before}`);
    places.set(id, place);
    return { ...read.data, id };
  });
};

const invalid = (place: string, why: string): TroupeError =>
  new TroupeError('input.invalid', `Cannot read ${place} as ${why}`);

/** A field of another name tells more than that one is missing. */
const tellingIssue = (issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue | undefined =>
  issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];

const issueWords = (issue: z.core.$ZodIssue | undefined, value: unknown): string => {
  if (issue === undefined || !isJsonObject(value))
    return `it is not an object: found ${JSON.stringify(value)}`;
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    const meant = nearestName(key, FIELDS);
    return `it has no field '${key}': ${meant === undefined ? `put it into \`metadata\`; there are ${FIELDS.join(', ')}` : `did you mean \`${meant}\`?`}`;
  }
  const field = issue.path.join('.');
  if (value[String(issue.path[0])] === undefined) return `its field '${field}' is missing`;
  return `its field '${field}' is wrong: ${issue.message}`;
};

const FIELDS = ['id', 'input', 'expected', 'output', 'calls', 'label', 'labels', 'tags', 'metadata'];

const rowsOfLines = (text: string, name: string): readonly FoundRow[] =>
  text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const place = `line ${index + 1} of ${name}`;
    return [{ place, value: parseJson(line, place) }];
  });

const rowsOfList = (text: string, name: string): readonly FoundRow[] => {
  const list = parseJson(text, name);
  if (!Array.isArray(list)) throw invalid(name, 'it is not a list of cases: write [{ "input": … }]');
  return list.map((value: unknown, index) => ({ place: `case ${index + 1} of ${name}`, value }));
};

const rowsOfTable = (text: string, name: string): readonly FoundRow[] => {
  const [head, ...rows] = parseCsv(text, name);
  const columns = head?.cells.map((cell) => cell.trim()) ?? [];
  if (!columns.includes('input'))
    throw invalid(name, `its first row names no column 'input': found ${columns.join(', ') || 'nothing'}`);
  return rows.map(({ line, cells }) => {
    const place = `line ${line} of ${name}`;
    if (cells.length > columns.length)
      throw invalid(
        place,
        `it has ${cells.length} cells for ${columns.length} columns: quote those with commas`,
      );
    const metadata: Record<string, Json> = {};
    const value: Record<string, unknown> = {};
    for (const [index, column] of columns.entries()) {
      const cell = cells[index] ?? '';
      const inner = /^metadata\.(.+)$/.exec(column)?.[1];
      if (cell === '' && column !== 'input') continue;
      if (inner === undefined) value[column] = valueOf(column, cell, place);
      else metadata[inner] = cell;
    }
    return { place, value: Object.keys(metadata).length === 0 ? value : { metadata, ...value } };
  });
};

/** Cells are texts. Where a field is not, or may be a structure, they are read as such. */
const valueOf = (column: string, cell: string, place: string): unknown => {
  switch (column) {
    case 'label':
      return labelOf(cell, place);
    case 'tags':
      return cell.split(';').map((each) => each.trim());
    case 'calls':
      return cell.trim().startsWith('[')
        ? parseJson(cell, place)
        : cell.split(';').map((each) => each.trim());
    case 'labels':
    case 'metadata':
      return parseJson(cell, place);
    default:
      return /^\s*[[{]/.test(cell) ? tryJson(cell) : cell;
  }
};

const LABELS: Readonly<Record<string, boolean>> = {
  true: true,
  good: true,
  pass: true,
  yes: true,
  '1': true,
  false: false,
  bad: false,
  fail: false,
  no: false,
  '0': false,
};

const labelOf = (cell: string, place: string): boolean => {
  const label = LABELS[cell.trim().toLowerCase()];
  if (label === undefined)
    throw invalid(place, `its label is neither good nor bad: '${cell}'. Write true or false`);
  return label;
};

const parseJson = (text: string, place: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw invalid(place, `it is no JSON: ${messageOf(thrown)}`);
  }
};

const tryJson = (cell: string): unknown => {
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
};
