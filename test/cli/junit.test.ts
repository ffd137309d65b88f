import { describe, expect, test } from 'vitest';
import { evalPage } from '../../src/cli/evals/eval-page.ts';
import { junitText } from '../../src/cli/evals/junit.ts';
import { defineEval } from '../../src/testing/evals/define-eval.ts';
import { evaluators } from '../../src/testing/evaluators/evaluators.ts';

const HOSTILE = `</testcase><script>alert(1)</script> & "quoted" 'too' ]]> \u0000\u0007\ud800 \u202e ü 🐴`;

/** A report whose texts are all hostile. */
const report = () =>
  defineEval({
    name: HOSTILE,
    dataset: [{ id: HOSTILE, input: HOSTILE, output: HOSTILE, expected: 'x' }],
    evaluators: [
      evaluators.exact(),
      { name: `${HOSTILE}!`, evaluate: () => Promise.reject(new Error(HOSTILE)) },
    ],
    gates: [{ measure: 'score', evaluator: HOSTILE, atLeast: 1 }],
  }).run();

describe('reports of evals whose texts are hostile', () => {
  test('are well-formed XML: every tag is one of JUnit, and each that opens is closed', async () => {
    const xml = junitText([await report()]);
    const open: string[] = [];
    const closed: (readonly [string | undefined, string])[] = [];
    const rest = xml
      .replace(/^<\?xml [^>]*\?>\n/, '')
      .replaceAll(
        /<(\/?)(\w+)((?: \w+="[^"<&]*(?:&(?:amp|lt|gt|quot|#10);[^"<&]*)*")*)(\/?)>/g,
        (_, isEnd: string, name: string, _attributes: string, isEmpty: string) => {
          if (isEnd !== '') closed.push([open.pop(), name]);
          else if (isEmpty === '') open.push(name);
          return '';
        },
      );
    expect(open).toEqual([]);
    expect(closed.length).toBeGreaterThan(3);
    expect(closed.filter(([one, other]) => one !== other)).toEqual([]);
    expect(rest).not.toMatch(/[<>]|&(?!(?:amp|lt|gt|quot|#10);)/);
    expect(new Set(xml.match(/<\w+/g))).toEqual(
      new Set(['<testsuites', '<testsuite', '<testcase', '<failure']),
    );
    expect(xml).toContain('ü 🐴');
    // XML has no such characters, not even escaped.
    for (const none of ['\0', '\u0007']) expect(xml).not.toContain(none);
    expect(xml).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
  });

  test('are a page without any element of theirs', async () => {
    const page = evalPage([await report()], []);
    expect(page).not.toContain('<script');
    expect(page).toContain('&lt;script');
    for (const none of ['\u0007', '\u202e']) expect(page).not.toContain(none);
  });
});
