import type { Attributes } from '@opentelemetry/api';
import type { ErrorData } from '../../../contracts/errors/error-data.ts';
import { attribute, finishName } from './conventions.ts';
import type { Turn } from '../../../contracts/conversations/transcript.ts';
import type { HookScope, LiveEvent } from '../../../contracts/events/event.ts';
import type { WholeRequest } from '../../recording/sent-requests.ts';
import { SentRequests, withSent } from '../../recording/sent-requests.ts';
import type { Work, WorkEnd } from '../work/work.ts';

/** Adds texts of people, models or tools to spans. */
export interface SpanContent {
  /** Notes an event: later attributes may depend on it. */
  note?(event: LiveEvent, scope: HookScope): void;
  atStart(work: Work): Attributes;
  atEnd(work: Work, end: WorkEnd): Attributes;
  message(error: ErrorData | undefined): string | undefined;
}

/** No content: names, numbers and the codes of errors only. */
export const noContent: SpanContent = {
  atStart: () => ({}),
  atEnd: () => ({}),
  message: (error) => error?.code,
};

/** Full content, redacted, truncated to a length for each attribute. */
export const fullContent = (redact: (text: string) => string, longest: number): SpanContent => {
  const text = (value: unknown): string => {
    // Redacted whole: a secret that the cut went through would not be known for one.
    const whole = redact(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
    return whole.length <= longest ? whole : `${whole.slice(0, longest - 1)}…`;
  };
  const said = (role: string, value: unknown): object[] => [
    {
      role,
      parts: [{ type: 'text', content: typeof value === 'string' ? value : (JSON.stringify(value) ?? '') }],
    },
  ];
  /** Of each run what was sent so far, and the request that was made last. */
  const runs = new Map<string, SentRequests>();
  const asked = new Map<string, WholeRequest>();
  const sentIn = (request: WholeRequest | undefined): Attributes =>
    request === undefined
      ? {}
      : {
          [attribute.systemInstructions]: text([{ type: 'text', content: request.instructions }]),
          [attribute.toolDefinitions]: text(
            request.tools.map(({ name, description }) => ({ type: 'function', name, description })),
          ),
          [attribute.inputMessages]: text(request.messages.map(({ turn }) => messageOf(turn))),
        };
  return {
    note: (event, { sent }) => {
      if (event.type === 'run.ended') runs.delete(event.runId);
      if (event.type !== 'model.asked' || sent === undefined) return;
      const requests = runs.get(event.runId) ?? new SentRequests();
      runs.set(event.runId, requests);
      const whole = requests.take(withSent(event, sent));
      asked.clear();
      if (whole !== undefined) asked.set(event.key, whole);
    },
    atStart: ({ kind, by }) => {
      if (kind === 'tool' && 'input' in by) return { [attribute.toolArguments]: text(by.input) };
      if (by.type === 'model.asked' && kind === 'model') return sentIn(asked.get(by.key));
      return by.type === 'run.started' ? { [attribute.inputMessages]: text(said('user', by.input)) } : {};
    },
    atEnd: ({ kind, path }, { by }) => {
      if (kind === 'tool' && by?.type === 'tool.finished') return { [attribute.toolResult]: text(by.text) };
      if (kind === 'model' && by?.type === 'model.answered') {
        const reasoning = by.reasoning === undefined ? [] : [{ type: 'reasoning', content: by.reasoning }];
        const parts = [...reasoning, { type: 'text', content: by.text }];
        const answer = { role: 'assistant', parts, finish_reason: finishName(by.finish) };
        return { [attribute.outputMessages]: text([answer]) };
      }
      return by?.type === 'run.ended' && by.path === path && by.output !== undefined && kind !== 'phase'
        ? { [attribute.outputMessages]: text(said('assistant', by.output)) }
        : {};
    },
    message: (error) => (error === undefined ? undefined : text(error.message)),
  };
};

/** A turn of a conversation as the conventions have it. */
const messageOf = (turn: Turn): object => {
  if (turn.role === 'tool')
    return { role: 'tool', parts: [{ type: 'tool_call_response', id: turn.callId, response: turn.text }] };
  const calls = turn.role === 'assistant' ? (turn.calls ?? []) : [];
  const said = turn.text === '' ? [] : [{ type: 'text', content: turn.text }];
  const called = calls.map(({ id, name, input }) => ({ type: 'tool_call', id, name, arguments: input }));
  return { role: turn.role, parts: [...said, ...called] };
};
