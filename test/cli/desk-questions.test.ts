import { beforeAll, describe, expect, test } from 'vitest';
import { researchDesk } from '../../src/cli/desk/research-desk.ts';
import { documentsFrom, type Documents } from '../../src/tools/built-in/documents/documents-from.ts';
import { readQuestionCorpus, SIZE } from '../support/question-corpus.ts';
import { questions, unanswerable } from '../support/questions.ts';

const RIGHT_AT_LEAST = 18;

describe(`the desk, asked about ${SIZE} files of Markdown and source`, () => {
  let library: Documents;
  beforeAll(async () => {
    library = documentsFrom(await readQuestionCorpus());
    await library.report();
  });
  const ask = async (question: string): Promise<string> => {
    const { output } = await researchDesk({ documents: library }).run(question, { model: 'offline' });
    return output ?? '';
  };

  test('answers at least 18 of 20 questions right, and cites the file that says so', async () => {
    const wrong: string[] = [];
    for (const { question, phrase, file } of questions) {
      const answer = await ask(question);
      if (!phrase.test(answer) || !answer.includes(`[${file}:`)) wrong.push(`${question} → ${answer}`);
    }
    expect(questions).toHaveLength(20);
    expect(questions.length - wrong.length, wrong.join('\n')).toBeGreaterThanOrEqual(RIGHT_AT_LEAST);
  });

  test('says so where no file answers', async () => {
    expect(await ask(unanswerable)).toMatch(/^I could not find an answer to “Who won the football world cup/);
  });

  test('answers the same question the same way twice', async () => {
    for (const { question } of questions.slice(0, 3)) expect(await ask(question)).toBe(await ask(question));
  });
});
