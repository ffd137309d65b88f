import { z } from 'zod';
import type { Model } from '../../../src/contracts/models/model.ts';
import { modelAnswer } from '../../../src/contracts/models/model.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { dual } from '../../../src/tools/calls/tool-result.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { pdf } from '../../content/pictures.ts';

/** A whole picture of one pixel, which a browser draws. */
export const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
/** A picture that could run scripts where it was opened by itself. */
export const drawing = new TextEncoder().encode(
  '<svg xmlns="http://www.w3.org/2000/svg"><script>document.title = "taken"</script></svg>',
);

const scan = tool({
  name: 'scan',
  description: 'Scans the letter.',
  input: z.object({}),
  execute: () =>
    dual({
      text: 'The letter:',
      parts: [
        { type: 'file', data: pdf(), mediaType: 'application/pdf', name: 'letter.pdf' },
        { type: 'image', data: drawing, mediaType: 'image/svg+xml', name: 'logo.svg' },
      ],
      value: 'scanned',
    }),
});

const painter = (): Model => {
  let calls = 0;
  return {
    provider: 'test',
    id: 'painter',
    takes: { media: ['image/*', 'application/pdf'] },
    answer: () =>
      (calls += 1) === 1
        ? modelAnswer({ calls: [{ id: '1', name: 'scan', input: {} }] })
        : modelAnswer({ text: 'Painted.', media: [{ type: 'image', data: pixel, name: 'answer.png' }] }),
  };
};

/** An agent that is shown a picture, has a letter and a drawing from a tool, and answers with a picture. */
export const clerk = () => agent({ name: 'clerk', model: painter(), tools: [scan] });

export const question = [
  { type: 'text', text: 'What is this?' },
  { type: 'image', data: pixel, name: 'question.png' },
] as const;
