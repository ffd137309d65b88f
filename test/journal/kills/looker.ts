/** A process whose agent is shown pictures: in a run before, its input, a message and by a tool. Begins its second run, or resumes it. */
import { anthropic } from '../../../src/models/anthropic/anthropic.ts';
import { sqliteStore } from '../../../src/persistence/sqlite/sqlite-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { resume } from '../../../src/runtime/journal/resume/resume.ts';
import { dual } from '../../../src/tools/calls/tool-result.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { png } from '../../content/pictures.ts';
import { z } from 'zod';

/** What such a process is to do. */
export interface LookerOrder {
  readonly file: string;
  readonly url: string;
}

const camera = tool({
  name: 'camera',
  description: 'Takes a picture.',
  input: z.object({}),
  idempotent: true,
  execute: () => dual({ parts: [{ type: 'image', data: png(4, 4, 4) }], value: 'taken' }),
});

/** The agent, asking a provider at that address. */
export const lookerAt = (baseURL: string) =>
  agent({
    name: 'looker',
    model: anthropic('claude-sonnet-4-5', { apiKey: 'sk-mock', baseURL }),
    tools: [camera],
  });

/** Looks once, and then again in the same thread. */
export const lookTwice = async ({ file, url }: LookerOrder): Promise<unknown> => {
  const looker = lookerAt(url);
  const store = sqliteStore(file);
  try {
    if ((await store.entry('second')) !== undefined)
      return (await (await resume(looker, 'second', { store })).result).output;
    const look = (filling: number) => [{ type: 'image', data: png(4, 4, filling) }] as const;
    await looker.run(look(1), { store, runId: 'first', thread: 'talk' });
    const handle = looker.stream(look(2), { store, runId: 'second', thread: 'talk', paused: true });
    handle.send(look(3));
    handle.resume();
    return (await handle.result).output;
  } finally {
    await store.close();
  }
};
