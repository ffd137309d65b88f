import { isPartList } from '../../contracts/content/part.ts';
import type { ModelAnswer } from '../../contracts/models/model.ts';
import type { RawAnswer } from '../../contracts/models/sent-request.ts';

/** The parts of an answer beside its text; undefined if there are none. */
export const rawOf = ({ calls, media, refusal, replay, metadata }: ModelAnswer): RawAnswer | undefined => {
  const raw: RawAnswer = {
    calls,
    // Their bytes are in the blob store by now.
    ...(isPartList(media) ? { media } : {}),
    ...(refusal === undefined ? {} : { refusal }),
    ...(replay === undefined ? {} : { replay }),
    ...(metadata === undefined ? {} : { metadata }),
  };
  return calls.length === 0 && Object.keys(raw).length === 1 ? undefined : raw;
};
