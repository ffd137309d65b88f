import type { RuntimeEvent } from '../../contracts/events/event.ts';
import { isJsonObject } from '../../base/json/json.ts';
import { findingsSchema } from './finding.ts';

/** Returns the partial result of a cancelled desk: the writer's draft, else the researchers' findings. */
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
