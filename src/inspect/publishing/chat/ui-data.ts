import type { Json, JsonObject } from '../../../base/json/json.ts';
import { isJsonObject } from '../../../base/json/json.ts';
import type { LiveEvent } from '../../../contracts/events/event.ts';
import type { UiChunk } from './ui-chunk.ts';
import { uiCallId } from './ui-chunk.ts';

/**
 * Converts events to `data-*` parts: what a chat has no part of its own for. Parts of one id replace each other, and those that
 * are transient are shown once.
 */
export class UiData {
  /** The questions that were asked, by the ids of their requests: a part that replaces another one has all of it. */
  readonly #questions = new Map<string, JsonObject>();

  take(event: LiveEvent): readonly UiChunk[] {
    switch (event.type) {
      case 'person.asked': {
        const { id, question, callId, path, agent, runId } = event;
        const call = callId === undefined ? {} : { toolCallId: uiCallId(runId, path, callId) };
        this.#questions.set(id, { question, path, agent, ...call });
        return this.#question(id, { state: 'open' });
      }
      case 'person.answered':
        return this.#question(event.id, { state: 'answered', answer: event.text });
      case 'request.withdrawn':
        return this.#question(event.id, { state: 'withdrawn', reason: event.reason });
      default:
        return dataOf(event);
    }
  }

  #question(id: string, outcome: JsonObject): readonly UiChunk[] {
    const question = this.#questions.get(id);
    return question === undefined ? [] : [part('question', id, { ...question, ...outcome })];
  }
}

const dataOf = (event: LiveEvent): readonly UiChunk[] => {
  switch (event.type) {
    case 'team.planned':
      return [part('plan', event.path, { path: event.path, assignments: [...event.assignments] })];
    case 'agent.reduced': {
      const after = event.diff['plan']?.after;
      return isJsonObject(after) && 'steps' in after
        ? [part('plan', event.path, { ...after, path: event.path })]
        : [];
    }
    case 'budget.warned': {
      const { budget, limit, used, fraction, path } = event;
      return [part('budget', `${path} ${budget}`, { budget, limit, used, fraction, path })];
    }
    case 'limit.neared': {
      const { rule, used, stage, path } = event;
      return [part('limit', `${path} ${rule}`, { rule, used, stage, path })];
    }
    case 'member.engaged':
      return [part('member', event.path, { path: event.path, member: event.member, status: 'working' })];
    case 'member.ended': {
      const { path, member, status } = event;
      return [part('member', path, { path, member, status })];
    }
    case 'agent.critiqued': {
      const { path, verdict, note = '' } = event;
      return verdict === 'accept' ? [] : [part('critique', `${path} ${event.seq}`, { path, verdict, note })];
    }
    case 'tool.progressed': {
      const { runId, path, callId, text } = event;
      const data = { toolCallId: uiCallId(runId, path, callId), text };
      return [{ type: 'data-activity', data, transient: true }];
    }
    case 'custom.emitted':
      return [{ type: `data-${event.name}`, data: event.data }];
    default:
      return [];
  }
};

const part = (name: string, id: string, data: Json): UiChunk => ({ type: `data-${name}`, id, data });
