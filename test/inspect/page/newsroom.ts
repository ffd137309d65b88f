import { z } from 'zod';
import { agent } from '../../../src/runtime/define/agent.ts';
import { supervisorWorker } from '../../../src/patterns/index.ts';
import type { ScriptedReply } from '../../../src/testing/scripted-model.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';

const search = tool({
  name: 'search',
  description: 'Searches the archive.',
  input: z.object({ query: z.string() }),
  execute: ({ query }) =>
    query.includes('ferry')
      ? '3 articles: "Ferry fares since 1998" (2019), "The last night boat" (2021), "Who pays for the pier" (2023)'
      : '1 article: "Tide tables, a short history" (2011)',
});

const readArticle = tool({
  name: 'read_article',
  description: 'Reads an article.',
  input: z.object({ title: z.string() }),
  execute: ({ title }) => {
    if (title.startsWith('Who pays')) throw new Error('the article is behind a wall');
    return `${title}. In spring the council put the fares up by a fifth, and the morning boat has run half empty since.`;
  },
});

const publish = tool({
  name: 'publish',
  description: 'Publishes a text on the front page.',
  input: z.object({ headline: z.string(), text: z.string() }),
  safety: 'write',
  approval: true,
  execute: ({ headline }) => `Published: ${headline}`,
});

const plan = (answer: string | null, ...assignments: readonly [worker: string, task: string][]): string =>
  JSON.stringify({ assignments: assignments.map(([worker, task]) => ({ worker, task })), answer });

const says = (id: string, ...script: readonly ScriptedReply[]) => scriptedModel(script, id);

/** A team of an editor, three writers, and a text that a person has to approve. */
export const newsroom = () =>
  supervisorWorker({
    name: 'newsroom',
    supervisor: {
      model: says(
        'large',
        plan(
          null,
          ['researcher', 'Find out what became of the ferry since the fares went up.'],
          ['archivist', 'What do we have about the tides?'],
        ),
        plan(null, ['writer', 'Write it up, in 80 words, and publish it.']),
        plan('The piece on the ferry is on the front page.'),
      ),
    },
    workers: {
      researcher: agent({
        name: 'researcher',
        description: 'Finds things out.',
        tools: [search, readArticle],
        limits: { budget: { steps: 8, tokens: 4_000 } },
        model: says(
          'small',
          calls({ name: 'search', input: { query: 'ferry fares' } }),
          calls(
            { name: 'read_article', input: { title: 'Ferry fares since 1998' } },
            { name: 'read_article', input: { title: 'Who pays for the pier' } },
          ),
          'Fares rose by a fifth in spring. The morning boat has run half empty since, and the pier loses money for the first time in ten years. One article could not be read.',
        ),
      }),
      archivist: agent({
        name: 'archivist',
        description: 'Knows the archive.',
        tools: [search],
        model: says(
          'small',
          calls({ name: 'search', input: { query: 'tides' } }),
          'There is one article, from 2011, and it is about tables rather than tides.',
        ),
      }),
      writer: agent({
        name: 'writer',
        description: 'Writes.',
        tools: [publish],
        limits: { budget: { steps: 5 } },
        model: says(
          'large',
          calls({
            name: 'publish',
            input: {
              headline: 'The half-empty boat',
              text: 'Since the fares went up by a fifth, the morning ferry has run half empty. The pier, which earned its keep for ten years, now loses money. Nobody at the council wants to say whether the fares will stay.',
            },
          }),
          'It is published.',
        ),
      }),
    },
    concurrency: 2,
  });
