import { beforeAll, describe, expect, test } from 'vitest';
import { offlineModel } from '../../src/models/offline/offline.ts';
import { documentsFrom, type Documents } from '../../src/tools/built-in/documents/documents-from.ts';
import { converse } from '../support/converse.ts';
import { readQuestionCorpus, SIZE } from '../support/question-corpus.ts';
import { questions, unanswerable } from '../support/questions.ts';

const RIGHT_AT_LEAST = 18;

describe(`questions about ${SIZE} files of Markdown and source`, () => {
  let corpus: Record<string, string>;
  let library: Documents;
  beforeAll(async () => {
    corpus = await readQuestionCorpus();
    library = documentsFrom(corpus);
    await library.report();
  });

  type Conversation = ReturnType<typeof converse>;
  const conversations = new Map<string, Conversation>();

  /** What comes of a question, which is asked once for all tests. */
  const conversation = (question: string): Conversation => {
    const held = conversations.get(question) ?? converse(offlineModel(), question, { tools: library.tools });
    conversations.set(question, held);
    return held;
  };
  const answer = async (question: string): Promise<string> => (await conversation(question)).text;

  test(`there are ${SIZE} files, and each question is answered by exactly one of them`, async () => {
    expect(await library.report()).toMatchObject({ files: SIZE, skipped: [] });
    const answering = questions.map(({ phrase }) =>
      Object.keys(corpus).filter((path) => phrase.test(corpus[path] ?? '')),
    );
    expect(answering).toEqual(questions.map(({ file }) => [file]));
  });

  test('at least 18 of 20 are answered right and cite the file that says so', async () => {
    const wrong: string[] = [];
    for (const { question, phrase, file } of questions) {
      const text = await answer(question);
      if (!phrase.test(text) || !text.includes(`[${file}:`)) wrong.push(`${question} → ${text}`);
    }
    expect(questions).toHaveLength(20);
    expect(questions.length - wrong.length, wrong.join('\n')).toBeGreaterThanOrEqual(RIGHT_AT_LEAST);
  });

  test('what no file answers is said to be not found', async () => {
    expect(await answer(unanswerable)).toBe(
      `I could not find an answer to “${unanswerable}” in what the tools returned.`,
    );
  });

  test('the same question has the same answer twice, by the same calls', async () => {
    for (const { question } of questions.slice(0, 5)) {
      const first = await conversation(question);
      expect(await converse(offlineModel(), question, { tools: library.tools })).toEqual(first);
    }
  });

  test('a quote is found word for word in the file it cites', async () => {
    const flat = (text: string): string => text.replace(/[\s*/>]+/g, ' ');
    for (const { question } of questions) {
      const [, quote = '', path = ''] =
        /^(.*?)(?: …)? \[([^\]]+):\d+-\d+\]/.exec(await answer(question)) ?? [];
      expect(flat(corpus[path] ?? '')).toContain(flat(quote.split(/(?<=[.:]) /)[0] ?? '').trim());
    }
  });
});
