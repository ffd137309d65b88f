import { signal } from '@preact/signals';
import type { RuntimeEvent } from '../../contracts/events/event.ts';

/** The reasons for which runs refused the last answers to requests, by the request's id: some are known only later. */
export const refusals = signal<ReadonlyMap<string, string>>(new Map());

/** Notes an answer that was refused. */
export const noteRefusal = (event: RuntimeEvent | { readonly type: 'model.delta' }): void => {
  if (event.type === 'answer.refused' && event.id !== undefined)
    refusals.value = new Map(refusals.peek()).set(event.id, event.reason);
};
