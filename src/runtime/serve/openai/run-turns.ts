import type { Json } from '../../../base/json/json.ts';
import { contentText, isPartList } from '../../../contracts/content/part.ts';
import type { Turn } from '../../../contracts/conversations/transcript.ts';
import type { RuntimeEvent } from '../../../contracts/events/event.ts';
import type { ToolCall } from '../../../contracts/tools/tool-call.ts';
import { outputText } from './answer-fold.ts';

/** An answer of the root's model, with the calls of it and their results. */
interface Step {
  text: string;
  readonly calls: ToolCall[];
  readonly results: Map<string, { readonly tool: string; readonly text: string; readonly failed: boolean }>;
}

/** The turns of a run, as its events tell: its input, what its root said and called, and its answer. */
export const turnsOfRun = (events: readonly RuntimeEvent[]): readonly Turn[] => {
  const turns: Turn[] = [];
  let root = '';
  let step = newStep('');
  const flush = (): void => {
    turns.push(...turnsOfStep(step));
  };
  for (const event of events) {
    if (event.type === 'run.started' && root === '') {
      root = event.path;
      turns.push(inputTurn(event.input));
    }
    if (event.path !== root) continue;
    switch (event.type) {
      case 'model.answered':
        flush();
        step = newStep(event.text);
        break;
      case 'tool.requested':
        step.calls.push({ id: event.callId, name: event.tool, input: event.input });
        break;
      case 'tool.finished':
        step.results.set(event.callId, { tool: event.tool, text: event.text, failed: !event.ok });
        break;
      case 'tool.denied':
        step.results.set(event.callId, { tool: event.tool, text: event.reason ?? 'denied', failed: true });
        break;
      case 'run.ended': {
        const answer = event.output === undefined ? '' : outputText(event.output);
        flush();
        const isSaid = answer === '' || (step.text === answer && step.calls.length === 0);
        step = newStep(isSaid ? '' : answer);
        break;
      }
      default:
    }
  }
  flush();
  return turns;
};

const newStep = (text: string): Step => ({ text, calls: [], results: new Map() });

/** Calls without a result are left out: providers refuse them. */
const turnsOfStep = ({ text, calls, results }: Step): readonly Turn[] => {
  const finished = calls.filter(({ id }) => results.has(id));
  if (text === '' && finished.length === 0) return [];
  return [
    { role: 'assistant', text, ...(finished.length === 0 ? {} : { calls: finished }) },
    ...finished.flatMap(({ id }): readonly Turn[] => {
      const result = results.get(id);
      if (result === undefined) return [];
      const { tool, text: said, failed } = result;
      return [{ role: 'tool', callId: id, tool, text: said, ...(failed ? { failed: true } : {}) }];
    }),
  ];
};

const inputTurn = (input: Json): Turn => {
  if (typeof input === 'string') return { role: 'user', text: input };
  const given: unknown = input;
  if (isPartList(given)) return { role: 'user', text: contentText(given), parts: given };
  return { role: 'user', text: JSON.stringify(input) };
};
