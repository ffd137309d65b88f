import { describe, expectTypeOf, it } from 'vitest';
import type { Json, JsonObject } from '../../src/base/json/json.ts';
import type { RunResult } from '../../src/contracts/runs/run-result.ts';
import type { SignatureInput, SignatureOutput } from '../../src/contracts/agents/signature.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { fieldList, signature } from '../../src/tools/signatures/signature.ts';

describe('[KAIZEN-04] the fields of a result are typed by the string of the signature', () => {
  it('from one literal to the input that is asked for and the output that is given', () => {
    const { input, output } = signature('question: string -> answer: string, confidence: number');
    const oracle = agent({ name: 'oracle', input, output });
    expectTypeOf(oracle.run({ question: 'why?' })).resolves.toExtend<
      RunResult<{ answer: string; confidence: number }>
    >();
    // @ts-expect-error the question is a string
    void oracle.run({ question: 1 });
    // @ts-expect-error there is no such field
    void oracle.run({ question: 'why?' }).then((result) => result.output?.answers);
  });

  it('in the options of an agent, too: each side by itself, or both in one string', () => {
    const sides = agent({
      name: 'a',
      input: 'question: string',
      output: 'answer: string, confidence: number',
    });
    const whole = agent({ name: 'a', input: 'question: string -> answer: string, confidence: number' });
    type Answered = RunResult<{ answer: string; confidence: number }>;
    expectTypeOf(sides.run({ question: 'why?' })).resolves.toExtend<Answered>();
    expectTypeOf(whole.run({ question: 'why?' })).resolves.toExtend<Answered>();
    void sides.run({ question: 'why?' }).then(({ output }) => {
      expectTypeOf(output?.answer).toEqualTypeOf<string | undefined>();
      // @ts-expect-error there is no such field
      void output?.answers;
    });
    // @ts-expect-error the question is a string
    void sides.run({ question: 1 });
    // @ts-expect-error the field is called question
    void whole.run({ query: 'why?' });
  });

  it('by every type there is', () => {
    type In =
      SignatureInput<`a, b: str, c: float, d: int, e: bool, f: json, g: date, h: 'x, y'|'z->', i: string[], j: List[ float ],
        k: ('p'|'q')[] "words: with, -> marks", l: number[][] -> z`>;
    expectTypeOf<In>().toEqualTypeOf<{
      a: string;
      b: string;
      c: number;
      d: number;
      e: boolean;
      f: Json;
      g: string;
      h: 'x, y' | 'z->';
      i: string[];
      j: number[];
      k: ('p' | 'q')[];
      l: number[][];
    }>();
    expectTypeOf<SignatureOutput<'a -> z'>>().toEqualTypeOf<{ z: string }>();
  });

  it('what may be left out is optional, and what has a default is there once it was checked', () => {
    type Sound =
      'a?: number, b: string = \'x, y\' "why", d: number = -1.5 -> c?: boolean, e: number = 3, f: json = {}';
    expectTypeOf<SignatureInput<Sound>>().toEqualTypeOf<{
      a?: number | undefined;
      b?: string | undefined;
      d?: number | undefined;
    }>();
    expectTypeOf<SignatureOutput<Sound>>().toEqualTypeOf<{
      c?: boolean | undefined;
      e: number;
      f: Json;
    }>();
  });

  it('[KAIZEN-03] a literal that is no signature does not compile', () => {
    // @ts-expect-error There is no type 'strng'
    expectTypeOf(() => signature('question: strng -> answer')).toBeFunction();
    // @ts-expect-error there is no arrow
    expectTypeOf(() => signature('question, answer')).toBeFunction();
    // @ts-expect-error there are two
    expectTypeOf(() => signature('a -> b -> c')).toBeFunction();
    // @ts-expect-error there is nothing on the left
    expectTypeOf(() => signature('-> b')).toBeFunction();
    // @ts-expect-error a comma too many
    expectTypeOf(() => signature('a,, b -> c')).toBeFunction();
    // @ts-expect-error a list of fields has no arrow
    expectTypeOf(() => fieldList('a -> b')).toBeFunction();
    expectTypeOf(fieldList('a: number')['~standard'].types).not.toBeAny();
  });

  it('a string that nobody knows before the program runs gives objects of JSON', () => {
    const found = signature(String('a -> b'));
    expectTypeOf<SignatureInput<string>>().toExtend<JsonObject>();
    expectTypeOf(found.text).toBeString();
  });
});
