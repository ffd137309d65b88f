import type { Progress } from '../events/progress/progress.ts';
import type { ProgressMessage } from '../events/progress/progress-message.ts';
import type { Speech } from '../events/progress/speech.ts';

/** Adds what was being said when a run was stopped, as messages that are cut: people have read it. */
export const withCutMessages = (progress: Progress, said: readonly Speech[], at: number): Progress => {
  const cut = said.filter(({ text }) => text !== '').map((speech) => cutMessage(speech, at));
  const last = cut.at(-1);
  if (last === undefined) return progress;
  const { path, text } = last;
  const messages = [...progress.messages, ...cut];
  return { ...progress, messages, lastSaid: { path, text }, speaker: path, text };
};

const cutMessage = ({ key, path, agent, step, text }: Speech, at: number): ProgressMessage => ({
  id: key,
  role: 'assistant',
  at,
  path,
  agent,
  ...(step === undefined ? {} : { step }),
  text,
  calls: [],
  isCut: true,
});
