import type { Attributes } from '@opentelemetry/api';
import type { ErrorData } from '../../contracts/error.ts';
import { attribute, finishName } from './conventions.ts';
import type { Work, WorkEnd } from './work.ts';

/** What spans tell of what people, models and tools said. */
export interface SpanContent {
  atStart(work: Work): Attributes;
  atEnd(work: Work, end: WorkEnd): Attributes;
  message(error: ErrorData | undefined): string | undefined;
}

/** Nothing: names, numbers and the codes of errors only. */
export const noContent: SpanContent = {
  atStart: () => ({}),
  atEnd: () => ({}),
  message: (error) => error?.code,
};

/** All of it, with secrets taken out, cut to so many characters for each attribute. */
export const fullContent = (redact: (text: string) => string, longest: number): SpanContent => {
  const text = (value: unknown): string => {
    // Redacted whole: a secret that the cut went through would not be known for one.
    const whole = redact(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
    return whole.length <= longest ? whole : `${whole.slice(0, longest - 1)}…`;
  };
  const said = (role: string, value: unknown): object[] => [
    {
      role,
      parts: [{ type: 'text', content: typeof value === 'string' ? value : (JSON.stringify(value) ?? '') }],
    },
  ];
  return {
    atStart: ({ kind, by }) => {
      if (kind === 'tool' && 'input' in by) return { [attribute.toolArguments]: text(by.input) };
      return by.type === 'run.started' ? { [attribute.inputMessages]: text(said('user', by.input)) } : {};
    },
    atEnd: ({ kind, path }, { by }) => {
      if (kind === 'tool' && by?.type === 'tool.finished') return { [attribute.toolResult]: text(by.text) };
      if (kind === 'model' && by?.type === 'model.answered') {
        const reasoning = by.reasoning === undefined ? [] : [{ type: 'reasoning', content: by.reasoning }];
        const parts = [...reasoning, { type: 'text', content: by.text }];
        const answer = { role: 'assistant', parts, finish_reason: finishName(by.finish) };
        return { [attribute.outputMessages]: text([answer]) };
      }
      return by?.type === 'run.ended' && by.path === path && by.output !== undefined && kind !== 'phase'
        ? { [attribute.outputMessages]: text(said('assistant', by.output)) }
        : {};
    },
    message: (error) => (error === undefined ? undefined : text(error.message)),
  };
};
