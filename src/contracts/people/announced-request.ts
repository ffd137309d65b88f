import type { RuntimeEvent } from '../events/event.ts';
import { termsOf } from './approval-terms.ts';
import type { OpenRequest } from './request.ts';

type Announcing = 'tool.approval-requested' | 'tool.ambiguous' | 'person.asked';

/** The fields of an event that announces a request, without those that say who and when. */
export type Announcement = {
  readonly [Type in Announcing]: Omit<
    Extract<RuntimeEvent, { type: Type }>,
    'v' | 'seq' | 'at' | 'runId' | 'path' | 'agent' | 'step' | 'phase'
  >;
}[Announcing];

/** The request that an event announces. */
export const requestOf = (
  body: Announcement,
  place: Pick<OpenRequest, 'askedAt' | 'path' | 'agent' | 'step'>,
): OpenRequest => {
  const { id, expiresAt } = body;
  const base = { id, ...place, ...(expiresAt === undefined ? {} : { expiresAt }) };
  if (body.type === 'person.asked') {
    const { question, callId } = body;
    return { ...base, kind: 'question', question, ...(callId === undefined ? {} : { callId }) };
  }
  const { callId, tool, input, description, error } = body;
  const kind = body.type === 'tool.ambiguous' ? 'ambiguous' : 'approval';
  const why = error === undefined ? {} : { error };
  return { ...base, kind, callId, tool, input, description, ...why, ...termsOf(body) };
};
