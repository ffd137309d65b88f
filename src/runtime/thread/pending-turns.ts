import type { RuntimeEvent } from '../../contracts/events/event.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';

/** The events of a run, read without copying. */
interface Events {
  readonly length: number;
  at(index: number): RuntimeEvent | undefined;
}

/**
 * Turns that describe a concurrent run of the same conversation: its input, and its open tool calls with a placeholder result. Empty if it
 * has no open calls.
 */
export const pendingTurns = (asked: string, events: Events): readonly Turn[] => {
  const open = new Map<string, Extract<RuntimeEvent, { type: 'tool.requested' }>>();
  for (let index = 0; index < events.length; index += 1) {
    const event = events.at(index);
    if (event?.type === 'tool.requested') open.set(`${event.path} ${event.callId}`, event);
    else if (event?.type === 'tool.finished') open.delete(`${event.path} ${event.callId}`);
  }
  if (open.size === 0) return [];
  const requested = [...open.values()];
  // Prefixed, as ids of another run may occur in this run too.
  const calls = requested.map(({ tool, input, runId }, index) => ({
    id: `pending_${runId.replaceAll(/[^\w-]/g, '').slice(0, 20)}_${index}`,
    name: tool,
    input,
  }));
  return [
    { role: 'user', text: asked },
    { role: 'assistant', text: '', calls },
    ...calls.map(({ id, name }): Turn => ({ role: 'tool', callId: id, tool: name, text: PENDING })),
  ];
};

const PENDING =
  '(pending: another run of this conversation makes this call now, and answers what it is for; it has no result yet)';
