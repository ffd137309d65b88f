import type { Attributes } from '@opentelemetry/api';
import type { Json } from '../../../base/json/json.ts';
import { toJson } from '../../../base/json/json.ts';
import type { ErrorData } from '../../../contracts/errors/error-data.ts';
import type { HookScope, LiveEvent } from '../../../contracts/events/event.ts';
import type { WholeRequest } from '../../../runtime/log/sent-requests.ts';
import { SentRequests, withSent } from '../../../runtime/log/sent-requests.ts';
import type { Work, WorkEnd } from '../work/work.ts';
import { attribute } from './conventions.ts';
import { fitJson, fitText } from './fit-json.ts';
import { RequestSettings } from './request-settings.ts';
import type { SpanMessage } from './span-messages.ts';
import {
  answerMessage,
  contentMessage,
  messageOf,
  messagesLeftOut,
  toolDefinition,
} from './span-messages.ts';
import type { SpanRedaction } from './span-redaction.ts';

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

/**
 * Full content, redacted, and fitted to a length for each attribute.
 *
 * Redacted before it is cut: a secret that a cut went through would not be known for one.
 */
export const fullContent = (redaction: SpanRedaction, longest: number): SpanContent => {
  const text = (value: string): string => fitText(redaction.text(value), longest);
  const json = (value: Json): string => fitJson(redaction.value(value), longest);
  const messages = (list: readonly SpanMessage[]): string => {
    const shown = redaction.value(list);
    const found: Json = Array.isArray(shown) ? shown : [contentMessage('user', shown)];
    return fitJson(found, longest, messagesLeftOut);
  };
  /** The requests of each agent so far, by its place, and the last of all. */
  const agents = new Map<string, SentRequests>();
  const asked = new Map<string, WholeRequest>();
  const settings = new RequestSettings();
  const sentIn = ({ instructions, tools, messages: turns }: WholeRequest): Attributes => ({
    [attribute.systemInstructions]: json([{ type: 'text', content: instructions }]),
    [attribute.toolDefinitions]: json(tools.map(toolDefinition)),
    [attribute.inputMessages]: messages(turns.map(({ turn }) => messageOf(turn))),
  });
  const input = (content: Json | undefined): Attributes =>
    content === undefined ? {} : { [attribute.inputMessages]: messages([contentMessage('user', content)]) };
  const output = (message: SpanMessage): Attributes => ({ [attribute.outputMessages]: messages([message]) });
  return {
    note: (event, { sent }) => {
      const place = placeOf(event.runId, event.path);
      if (event.type === 'run.ended')
        for (const each of agents.keys()) if (each.startsWith(placeOf(event.runId, ''))) agents.delete(each);
      if (event.type === 'member.ended') agents.delete(place);
      if (event.type !== 'model.asked' || sent === undefined) return;
      const requests = agents.get(place) ?? new SentRequests();
      agents.set(place, requests);
      const whole = requests.take(withSent(event, sent));
      asked.clear();
      if (whole !== undefined) asked.set(event.key, whole);
    },
    atStart: (work) => {
      const { kind, by, path, scope } = work;
      if (kind === 'tool') return 'input' in by ? { [attribute.toolArguments]: json(toJson(by.input)) } : {};
      if (kind === 'model') {
        const request = by.type === 'model.asked' ? asked.get(by.key) : undefined;
        settings.asked(work, request?.settings);
        return request === undefined ? {} : sentIn(request);
      }
      if (by.type === 'run.started') return input(by.input);
      return by.type === 'member.engaged' ? input(scope.sent?.inputOf?.(path)) : {};
    },
    atEnd: (work, { by }) => {
      const { kind, path, scope } = work;
      if (kind === 'tool')
        return by?.type === 'tool.finished' ? { [attribute.toolResult]: text(by.text) } : {};
      if (kind === 'model') {
        const answered = by?.type === 'model.answered' ? by : undefined;
        const made = settings.attributesOf(work, answered?.omitted, (stop) => redaction.text(stop));
        if (answered === undefined) return made;
        return { ...made, ...output(answerMessage(answered, scope.sent?.answerOf(answered.key))) };
      }
      if (by?.path !== path) return {};
      const said = by.type === 'run.ended' ? by.output : scope.sent?.outputOf?.(path);
      return said === undefined ? {} : output(contentMessage('assistant', said));
    },
    message: (error) => (error === undefined ? undefined : text(error.message)),
  };
};

const placeOf = (runId: string, path: string): string => `${runId}\n${path}`;
