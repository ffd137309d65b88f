import type { Json } from '../../base/json/json.ts';
import type { MemoryKind, MemoryRecord } from '../../contracts/conversations/memory.ts';
import type { StepRecord } from '../../contracts/runs/step-record.ts';
import { oneLine } from '../processors/truncate-text.ts';

/** Builds the record of a run's task. */
export const recordOfTask = (
  prompt: string,
  where: { readonly runId: string; readonly agent: string; readonly at: number },
): MemoryRecord => ({ kind: 'task', text: prompt, ...where });

/**
 * Builds the records of a step: observation, decision, actions and their results, or the answer. Empty ones are
 * skipped.
 */
export const recordsOfStep = (
  { observation, decision, results, step, agent, endedAt }: StepRecord,
  runId: string,
): readonly MemoryRecord[] => {
  const records: MemoryRecord[] = [];
  const add = (kind: MemoryKind, text: string): void => {
    if (text.trim() !== '') records.push({ kind, text, at: endedAt, agent, runId, step });
  };
  if (observation !== undefined) add('observation', textOf(observation));
  if (decision !== undefined && decision.kind !== 'answer') add('decision', decision.kind);
  for (const result of results) {
    add('action', result.tool);
    add('result', `${result.tool}${result.ok ? '' : ' failed'}: ${result.text}`);
  }
  if (decision?.kind === 'answer') add('answer', textOf(decision.answer));
  return records;
};

/** Builds the records of a finished run. A successful one also adds a pattern: this kind of input, this output. */
export const recordsOfRun = (run: {
  readonly runId: string;
  readonly agent: string;
  readonly at: number;
  readonly input: Json;
  readonly output: Json | undefined;
  readonly isSuccess: boolean;
}): readonly MemoryRecord[] => {
  const { runId, agent, at, input, output, isSuccess } = run;
  const asked = oneLine(textOf(input), 500);
  const came = output === undefined ? 'no output' : oneLine(textOf(output), 500);
  const row: MemoryRecord = {
    kind: 'run',
    text: `${asked} → ${isSuccess ? came : `failed: ${came}`}`,
    at,
    agent,
    runId,
    metadata: { input, ...(output === undefined ? {} : { output }), isSuccess },
  };
  if (!isSuccess) return [row];
  const shape = { input: shapeOf(input), output: shapeOf(output ?? null) };
  return [row, { kind: 'pattern', text: `${asked} → ${came}`, at, agent, runId, metadata: shape }];
};

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The kind of value, and of an object its keys. */
const shapeOf = (value: Json): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  return typeof value === 'object' ? `{${Object.keys(value).sort().join(', ')}}` : typeof value;
};
