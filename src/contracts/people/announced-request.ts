import { withoutUndefined } from '../../base/json/without-undefined.ts';
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
  const { id, expiresAt, callId } = body;
  const base = { id, ...place, expiresAt };
  if (body.type === 'person.asked') {
    const { question } = body;
    return withoutUndefined({ ...base, kind: 'question' as const, question, callId });
  }
  const { type, tool, input, description, error } = body;
  const kind = type === 'tool.ambiguous' ? ('ambiguous' as const) : ('approval' as const);
  return withoutUndefined({
    ...base,
    kind,
    callId: body.callId,
    tool,
    input,
    description,
    error,
    ...termsOf(body),
  });
};
