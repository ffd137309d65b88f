import type { JournalRecord } from '../../../contracts/journals/journal-record.ts';
import type { RawAnswer, SentRequest, SentSource } from '../../../contracts/models/sent-request.ts';

/** Requests of models and their raw answers, as a run's journal has them. */
export const sentRequestsOf = (records: readonly JournalRecord[], runId: string): SentSource => {
  const requests = new Map<string, SentRequest>();
  const answers = new Map<string, RawAnswer>();
  for (const record of records) {
    if (record.kind !== 'arrived') continue;
    const { arrival } = record;
    if (arrival.type === 'sent') requests.set(`${runId}/${arrival.key}`, arrival.request);
    else if (arrival.type === 'heard') answers.set(`${runId}/${arrival.key}`, arrival.answer);
  }
  return { requestOf: (key) => requests.get(key), answerOf: (key) => answers.get(key) };
};
