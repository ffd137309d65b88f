import type { Json, JsonObject } from '../../base/json/json.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { EventOf, EventType, RuntimeEvent } from '../../contracts/events/event.ts';
import type { ApprovalTerms } from '../../contracts/people/approval-terms.ts';
import { EXPIRED, NOBODY_THERE } from '../../contracts/people/request.ts';
import type { AuditEntry } from './audit-entry.ts';

/** An event as the log has it, without its place in the chain. */
export interface AuditFacts extends Pick<AuditEntry, 'action' | 'tool' | 'outcome' | 'rule' | 'details'> {
  readonly content?: JsonObject | undefined;
  readonly person?: string | undefined;
  /** The request that it opens or closes. */
  readonly request?: string | undefined;
}

/** The types of events that have entries. */
export const auditedTypes = [
  'run.started',
  'run.ended',
  'run.paused',
  'run.resumed',
  'member.ended',
  'budget.warned',
  'tool.started',
  'tool.finished',
  'tool.approval-requested',
  'tool.ambiguous',
  'tool.approval-given',
  'tool.approved',
  'tool.denied',
  'person.asked',
  'person.answered',
  'request.withdrawn',
  'answer.refused',
  'message.sent',
  'custom.emitted',
] as const satisfies readonly EventType[];

/** Converts an event to what the log has of it: nothing, one entry, or two. Pure. */
export const factsOf = (event: RuntimeEvent): readonly AuditFacts[] => {
  switch (event.type) {
    case 'run.started': {
      const { model, input } = event;
      return [{ action: 'run.start', outcome: 'success', details: fieldsOf({ model }), content: { input } }];
    }
    case 'run.ended':
      return endOfRun(event);
    case 'run.paused':
      return [{ action: 'run.pause', outcome: 'success', details: {} }];
    case 'run.resumed':
      return [{ action: 'run.continue', outcome: 'success', details: {} }];
    case 'member.ended':
      return endOfMember(event);
    case 'budget.warned': {
      const { budget, limit, used } = event;
      return [{ action: 'budget.warn', outcome: 'success', details: { budget, limit, used } }];
    }
    case 'tool.started': {
      const { tool, callId, attempt, synthesised, input, description } = event;
      const details = fieldsOf({ callId, attempt, synthesised });
      const content = { input, description };
      return [{ action: 'tool.start', tool, outcome: 'success', rule: ruleIn(event), details, content }];
    }
    case 'tool.finished':
      return [endOfTool(event)];
    case 'tool.approval-requested':
    case 'tool.ambiguous':
    case 'tool.approval-given':
    case 'tool.approved':
    case 'tool.denied':
      return [permission(event)];
    case 'person.asked':
    case 'person.answered':
    case 'request.withdrawn':
    case 'answer.refused':
      return [request(event)];
    case 'message.sent': {
      // Talk between agents is the run's own.
      if (event.sender !== undefined) return [];
      const { id, text, from, data } = event;
      const content = fieldsOf({ from, text, data });
      return [{ action: 'message.receive', outcome: 'success', details: fieldsOf({ id }), content }];
    }
    case 'custom.emitted':
      return actOfGuard(event);
    default:
      return [];
  }
};

/** The act of a guard, as `guardrails()` puts it on record; nothing for other events of that type. */
const actOfGuard = ({ name, data }: EventOf<'custom.emitted'>): readonly AuditFacts[] => {
  if (name !== 'guardrail.acted' || !isJsonObject(data)) return [];
  const { guard, place, tool, action, reason } = data;
  if (typeof guard !== 'string' || typeof place !== 'string' || typeof action !== 'string') return [];
  return [
    {
      action: 'guard.act',
      tool: typeof tool === 'string' ? tool : undefined,
      outcome: action === 'block' ? 'denied' : 'success',
      rule: guard,
      details: { place, act: action },
      content: fieldsOf({ reason }),
    },
  ];
};

/** The rule that an event names, if it does: of a policy. */
const ruleIn = (event: object): string | undefined => {
  const rule: unknown = Reflect.get(event, 'rule');
  return typeof rule === 'string' && rule !== '' ? rule : undefined;
};

/** The names of further rules whose terms a request has, too. */
const furtherRulesIn = ({ also = [] }: ApprovalTerms): readonly string[] =>
  also.flatMap((terms) => [...(terms.rule === undefined ? [] : [terms.rule]), ...furtherRulesIn(terms)]);

/** The person that a decision names, if it does: by a text, or among their roles. */
const personIn = (event: object): string | undefined => {
  const by: unknown = Reflect.get(event, 'by');
  const name = isJsonObject(by) ? by['name'] : by;
  return typeof name === 'string' && name !== '' ? name : undefined;
};

const fieldsOf = (fields: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const errorWords = (error: ErrorData | undefined): JsonObject =>
  error === undefined ? {} : { error: error.message };

const endOfRun = (event: EventOf<'run.ended'>): readonly AuditFacts[] => {
  const { status, stopReason, output, error, totals } = event;
  const { steps, modelCalls, toolCalls, durationMs, costUsd } = totals;
  const ended: AuditFacts = {
    action: 'run.end',
    outcome: status === 'completed' ? 'success' : 'failure',
    ...ruleOf(stopReason),
    details: fieldsOf({
      status,
      stop: stopReason.kind,
      code: error?.code,
      ...fieldsOf({ steps, modelCalls, toolCalls, durationMs, costUsd }),
    }),
    content: fieldsOf({ output, stopReason: toJson(stopReason), ...errorWords(error) }),
  };
  return [...causeOf(status, stopReason), ended];
};

const endOfMember = (event: EventOf<'member.ended'>): readonly AuditFacts[] => {
  const { member, status, stopReason, error } = event;
  const outcome = status === 'completed' ? 'success' : 'failure';
  const details = fieldsOf({ member, status, stop: stopReason.kind, code: error?.code });
  return [{ action: 'member.end', outcome, details, content: errorWords(error) }];
};

type StopReason = EventOf<'run.ended'>['stopReason'];

const ruleOf = ({ kind, rule }: StopReason): Pick<AuditFacts, 'rule'> =>
  kind === 'rule' && typeof rule === 'string' ? { rule } : {};

/** An interruption and a spent budget have entries of their own. */
const causeOf = (status: string, stopReason: StopReason): readonly AuditFacts[] => {
  const { kind, reason, budget, limit, used } = stopReason;
  if (kind === 'budget')
    return [
      {
        action: 'budget.end',
        outcome: 'failure',
        details: fieldsOf({ budget: toJson(budget), limit: toJson(limit), used: toJson(used) }),
      },
    ];
  if (status !== 'aborted') return [];
  return [
    { action: 'run.abort', outcome: 'success', details: {}, content: fieldsOf({ reason: toJson(reason) }) },
  ];
};

const endOfTool = (event: EventOf<'tool.finished'>): AuditFacts => {
  const { tool, callId, ok, text, durationMs, error, cached, synthesised } = event;
  const failed = error?.code === 'tool.denied' ? 'denied' : 'failure';
  return {
    action: 'tool.end',
    tool,
    outcome: ok ? 'success' : failed,
    rule: ruleIn(event),
    details: fieldsOf({ callId, durationMs, code: error?.code, cached, synthesised }),
    content: { text, ...errorWords(error) },
  };
};

type Permission =
  | 'tool.approval-requested'
  | 'tool.ambiguous'
  | 'tool.approval-given'
  | 'tool.approved'
  | 'tool.denied';

const permission = (event: EventOf<Permission>): AuditFacts => {
  const { tool, callId, id } = event;
  // Of a request, `by` is the role that may answer it.
  const person = personIn(event);
  const about = { tool, rule: ruleIn(event), request: id };
  if (event.type === 'tool.approved') {
    const { input } = event;
    const details = fieldsOf({ callId, isChanged: input === undefined ? undefined : true });
    const content = fieldsOf({ id, input });
    return { ...about, action: 'permission.grant', outcome: 'success', person, details, content };
  }
  if (event.type === 'tool.approval-given') {
    const details = fieldsOf({ callId });
    return { ...about, action: 'permission.approve', outcome: 'success', person, details, content: { id } };
  }
  if (event.type === 'tool.denied') {
    const { reason, error } = event;
    const details = fieldsOf({ callId, decidedBy: deciderOf(id, reason), code: error?.code });
    const content = fieldsOf({ id, reason, ...errorWords(error) });
    return { ...about, action: 'permission.deny', outcome: 'denied', person, details, content };
  }
  const { input, description, expiresAt, error } = event;
  const mayBeDone = event.type === 'tool.ambiguous' ? true : undefined;
  const further = furtherRulesIn(event);
  const alsoRules = further.length === 0 ? undefined : further;
  const details = fieldsOf({ callId, expiresAt, mayBeDone, alsoRules, code: error?.code });
  const content = fieldsOf({ id, input, description, ...errorWords(error) });
  return { ...about, action: 'permission.ask', outcome: 'success', details, content };
};

/** The author of a denial: without a request nobody was asked. */
const deciderOf = (id: string | undefined, reason = ''): 'rule' | 'time' | 'nobody' | undefined => {
  if (id === undefined) return reason.startsWith(NOBODY_THERE) ? 'nobody' : 'rule';
  if (reason === EXPIRED) return 'time';
  return reason.startsWith(NOBODY_THERE) ? 'nobody' : undefined;
};

type Request = 'person.asked' | 'person.answered' | 'request.withdrawn' | 'answer.refused';

const request = (event: EventOf<Request>): AuditFacts => {
  const { id } = event;
  switch (event.type) {
    case 'person.asked': {
      const { question, callId, expiresAt } = event;
      const details = fieldsOf({ callId, expiresAt });
      return { action: 'question.ask', outcome: 'success', details, content: { id, question }, request: id };
    }
    case 'person.answered': {
      const content = { id, text: event.text };
      const person = personIn(event);
      return { action: 'question.answer', outcome: 'success', person, details: {}, content, request: id };
    }
    case 'request.withdrawn': {
      const { reason, error } = event;
      const content = fieldsOf({ id, reason, ...errorWords(error) });
      const details = fieldsOf({ code: error?.code });
      return { action: 'request.withdraw', outcome: 'failure', details, content, request: id };
    }
    case 'answer.refused': {
      const content = fieldsOf({ id, reason: event.reason });
      return { action: 'answer.refuse', outcome: 'denied', person: personIn(event), details: {}, content };
    }
  }
};
