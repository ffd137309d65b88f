import type { Turn } from '../../src/contracts/conversations/transcript.ts';

/** Why a provider would refuse a conversation, one line each; empty if it would take it. */
export const transcriptProblems = (turns: readonly Turn[]): readonly string[] => {
  const problems: string[] = [];
  const ids = new Set<string>();
  let due: string[] = [];
  for (const [index, turn] of turns.entries()) {
    if (turn.role === 'tool') {
      if (due[0] !== turn.callId)
        problems.push(`${index}: a result of ${turn.callId}, not of ${String(due[0])}`);
      if (turn.text === '') problems.push(`${index}: an empty result`);
      due = due.slice(1);
      continue;
    }
    if (due.length > 0) problems.push(`${index}: no results of ${due.join(', ')}`);
    due = turn.role === 'assistant' ? (turn.calls ?? []).map(({ id }) => id) : [];
    for (const id of due) {
      if (ids.has(id)) problems.push(`${index}: ${id} was used before`);
      ids.add(id);
    }
    if (turn.role === 'user' && turn.text === '') problems.push(`${index}: an empty message`);
  }
  if (due.length > 0) problems.push(`at the end: no results of ${due.join(', ')}`);
  return problems;
};
