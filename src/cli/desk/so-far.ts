import type { RuntimeEvent } from '../../contracts/event.ts';
import { isJsonObject } from '../../contracts/json.ts';
import { findingsSchema } from './finding.ts';

/** What a desk that was called off had by then: the writer's draft, else what researchers had found. */
export const soFar = (events: readonly RuntimeEvent[]): string | undefined => {
  const answers = events.flatMap((event) => {
    if (event.type !== 'agent.decided' || event.decision.kind !== 'answer') return [];
    const { decision, agent } = event;
    return isJsonObject(decision) ? [{ agent, answer: decision['answer'] ?? null }] : [];
  });
  const draft = answers.findLast(({ agent }) => agent === 'writer')?.answer;
  if (typeof draft === 'string') return draft;
  const findings = answers
    .filter(({ agent }) => agent === 'researcher')
    .flatMap(({ answer }) => findingsSchema.safeParse(answer).data?.findings ?? []);
  return findings.length === 0
    ? undefined
    : findings.map(({ text, citation }) => `${text} [${citation}]`).join('\n\n');
};
