import { canonical } from '../../base/json/canonical.ts';
import type { RuntimeEvent } from '../../contracts/events/event.ts';

/** The differences between two runs without a fault: no fault is to blame for them. */
export interface OwnVariance {
  /** True if the answer differs. */
  readonly answer: boolean;
  /** Tools that gave equal calls different results. */
  readonly tools: readonly string[];
}

/** Compares the calls of two runs of a task: tools that gave equal calls different results, by name. */
export const varyingTools = (
  one: readonly RuntimeEvent[],
  other: readonly RuntimeEvent[],
): readonly string[] => {
  const [first, second] = [resultsOf(one), resultsOf(other)];
  const varying = [...first].filter(([key, { texts }]) => {
    const again = second.get(key)?.texts ?? texts;
    const common = Math.min(texts.length, again.length);
    return texts.slice(0, common).join('\n') !== again.slice(0, common).join('\n');
  });
  return [...new Set(varying.map(([, { tool }]) => tool))].toSorted((a, b) => a.localeCompare(b));
};

interface Results {
  readonly tool: string;
  readonly texts: string[];
}

/** The results of calls, by tool and input, in order. */
const resultsOf = (events: readonly RuntimeEvent[]): ReadonlyMap<string, Results> => {
  const asked = new Map<string, string>();
  const results = new Map<string, Results>();
  for (const event of events) {
    if (event.type === 'tool.requested')
      asked.set(`${event.path} ${event.step} ${event.callId}`, `${event.tool} ${canonical(event.input)}`);
    if (event.type !== 'tool.finished') continue;
    const key = asked.get(`${event.path} ${event.step} ${event.callId}`) ?? event.tool;
    const known = results.get(key) ?? { tool: event.tool, texts: [] };
    known.texts.push(event.text);
    results.set(key, known);
  }
  return results;
};
