import type { Json } from '../../../base/json/json.ts';
import { isJsonObject } from '../../../base/json/json.ts';
import type { CallFact, Move, RunFacts, ToolFact } from '../run-facts.ts';
import { inGroups, movesByPath, toolsIn } from '../run-facts.ts';
import type { Rule } from '../rule.ts';
import { Table, Tally } from '../rule.ts';

const LEAST = 3;

/** Finds tool calls that waited for each other without need: of one answer, or of answers whose arguments were known before. */
export const serialTools = (): Rule => {
  const byAgent = new Table(() => new Tally());
  return {
    take: (run) => {
      for (const calls of inGroups(toolsIn(run), ({ path, step }) => `${path} ${step}`)) {
        const [first] = calls;
        const latencyMs = savedAtOnce(calls);
        if (first !== undefined && latencyMs > 0)
          byAgent.of(first.agent, names(calls)).add(run.runId, { latencyMs, costUsd: 0 });
      }
      for (const moves of movesByPath(run)) {
        for (const { first, asked, second } of pairsIn(moves)) {
          if (!wasKnown(second.input, textBefore(first, moves, run))) continue;
          const { usage, costUsd, ms } = asked;
          const latencyMs = ms + Math.min(first.ms, second.ms);
          byAgent
            .of(first.agent, names([first, second]))
            .add(run.runId, { latencyMs, costUsd, tokens: usage.input + usage.output });
        }
      }
    },
    findings: () =>
      [...byAgent.rows].flatMap(({ agent, name, value: tally }) => {
        const { count, latencyMs, tokens, costUsd } = tally;
        if (count < LEAST) return [];
        tally.of = count;
        return [
          {
            type: 'parallel-tools' as const,
            agent,
            description: `Agent '${agent}' calls ${name} one after the other, though neither needs the other's result: have it call them in one answer, and let them run at once`,
            expected: { latencyMs, ...(tokens === 0 ? {} : { tokens, costUsd }) },
            evidence: tally.evidence({ savedMs: latencyMs }),
            proven: false,
            basis:
              'measured from the times of calls; not proven as a trial executes no tool, and only that shows whether one changes what the other reads',
          },
        ];
      }),
  };
};

const names = (calls: readonly ToolFact[]): string =>
  [...new Set(calls.map(({ tool }) => `'${tool}'`))].toSorted().join(' and ');

/** The time in ms that calls of one answer would save at once; 0 if some overlapped. */
const savedAtOnce = (calls: readonly ToolFact[]): number => {
  const ordered = calls.toSorted((one, other) => one.startedAt - other.startedAt);
  const isSerial = ordered.every(({ startedAt }, index) => startedAt >= (ordered[index - 1]?.endedAt ?? 0));
  if (ordered.length < 2 || !isSerial) return 0;
  const times = ordered.map(({ ms }) => ms);
  return times.reduce((sum, ms) => sum + ms, 0) - Math.max(...times);
};

/** Two single tool calls with one answer between them that asks only for the second. */
const pairsIn = (moves: readonly Move[]) =>
  moves.flatMap((asked, index) => {
    const [first, second, next] = [moves[index - 1], moves[index + 1], moves[index + 2]];
    if (asked.kind !== 'model' || asked.calls !== 1 || first?.kind !== 'tool' || second?.kind !== 'tool')
      return [];
    const isSingle = moves[index - 2]?.kind !== 'tool' && next?.kind !== 'tool';
    return isSingle && first.isOk && second.isOk ? [{ first, asked, second } satisfies Pair] : [];
  });

interface Pair {
  readonly first: ToolFact;
  readonly asked: CallFact;
  readonly second: ToolFact;
}

/** The texts that the agent had when it asked for a call. */
const textBefore = (call: ToolFact, moves: readonly Move[], { input }: RunFacts): string =>
  [input, ...moves.slice(0, moves.indexOf(call)).map(({ text }) => text)].join('\n');

/** Checks whether an input has nothing but what a text says. A leaf of one or two characters says nothing, as it occurs anywhere. */
const wasKnown = (input: Json, text: string): boolean => {
  const leaves = leavesOf(input);
  return leaves.some((leaf) => leaf.length > 2) && leaves.every((leaf) => text.includes(leaf));
};

const leavesOf = (value: Json): readonly string[] => {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  if (Array.isArray(value)) return value.flatMap((item: Json) => leavesOf(item));
  return isJsonObject(value) ? Object.values(value).flatMap((item) => leavesOf(item ?? null)) : [];
};
