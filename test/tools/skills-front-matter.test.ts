import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isTroupeError } from '../../src/index.ts';
import { parseSkill } from '../../src/tools/built-in/skills/skill.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const skill = (lines: string, folder = 'pdf') => parseSkill(folder, encode(`---\n${lines}\n---\nBody\n`));
const described = (value: string) => skill(`name: pdf\ndescription: ${value}`).description;

describe('the front matter of a skill', () => {
  test('gives its fields, and the instructions below it', () => {
    expect(
      skill(
        'name: pdf\n# a comment\ndescription: Fills forms.\n\ncompatibility: needs python\nallowed-tools: Bash(git add:*) Read, forms.fill',
      ),
    ).toMatchObject({
      name: 'pdf',
      description: 'Fills forms.',
      compatibility: 'needs python',
      allowedTools: ['Bash(git add:*)', 'Read', 'forms.fill'],
      body: 'Body',
    });
  });

  test.each([
    ['plain, with a colon', 'Use it: when needed', 'Use it: when needed'],
    ['plain, with a comment', 'Fills forms # and more', 'Fills forms'],
    ['plain, with a sign that is no comment', 'Writes C#, a#b', 'Writes C#, a#b'],
    ['on several lines', 'Fills\n  forms.\n\n  Well.', 'Fills forms. Well.'],
    ['in double quotes', String.raw`"Says \"hi\" # é\u0021"`, 'Says "hi" # é!'],
    ['in double quotes, on several lines', '"Fills\n  forms." # yes', 'Fills forms.'],
    ['in single quotes', "'It''s: fine'", "It's: fine"],
    ['as a folded block', '>-\n  Fills\n  forms: # kept', 'Fills forms: # kept'],
    ['as a literal block', '|\n  Fills\n\n  forms.', 'Fills forms.'],
    ['below its name', '\n  Fills forms.', 'Fills forms.'],
    ['that looks like a number', '3', '3'],
  ])('takes a text %s', (_, value, expected) => {
    expect(described(value)).toBe(expected);
  });

  test.each([
    ['on one line', '[Read, "Bash(git:*)"]', ['Read', 'Bash(git:*)']],
    ['below its name', "\n  - Read\n  - 'Write' # too", ['Read', 'Write']],
    ['below its name, not indented', '\n- Read\n- Write', ['Read', 'Write']],
    ['that is empty', '', []],
  ])('takes a list %s', (_, value, expected) => {
    expect(skill(`name: pdf\ndescription: x\nallowed-tools: ${value}`).allowedTools).toEqual(expected);
  });

  test('passes over fields that are for others, with all that is below them', () => {
    expect(
      skill(
        'metadata:\n  author: { name: "A" }\n  tags: [a, b]\nhooks:\n- on: &x\n    *y\nlicense: !!str MIT\nname: pdf\ndescription: x',
      ),
    ).toMatchObject({ name: 'pdf', description: 'x' });
  });

  test('may begin with a byte order mark, and have the line ends of Windows', () => {
    const found = parseSkill('pdf', encode('\uFEFF---\r\nname: pdf\r\ndescription: x\r\n---\r\nBody\r\n'));
    expect(found).toMatchObject({ name: 'pdf', description: 'x', body: 'Body' });
  });

  test.each([
    ['has no front matter', 'no front matter', encode('# PDF')],
    ['has one without an end', 'no end', encode('---\nname: pdf\ndescription: x')],
    [
      'has one that is too large',
      'longer than 16384 characters',
      encode(`---\nname: pdf\nx: ${'y'.repeat(20_000)}\n---\n`),
    ],
    ['is not text', 'not text in UTF-8', Uint8Array.of(0x2d, 0x2d, 0xff)],
    ['has a NUL', 'not text in UTF-8', encode('---\nname: p\0df\n---\n')],
  ])('is refused if the file %s', (_, reason, bytes) => {
    expect(() => parseSkill('pdf', bytes)).toThrow(
      expect.objectContaining({ code: 'skill.invalid', message: expect.stringContaining(reason) }),
    );
  });

  test.each([
    ['a line that is no field', 'name: pdf\n: x', 'line 3 of its front matter is not a field'],
    ['a line that is indented from the start', '  name: pdf', 'line 2 of its front matter is not a field'],
    [
      'a field twice',
      'name: pdf\nname: pdf',
      "line 3 of its front matter has the field 'name' a second time",
    ],
    ['a quote that is not closed', 'name: "pdf', 'not closed'],
    ['text after a quote', 'name: "pdf" x', 'not closed, or text after it'],
    ['an escape that is unknown', String.raw`name: "p\qdf"`, 'an escape'],
    ['a map', 'name: pdf\ndescription:\n  a: b', 'is a map'],
    ['a map on one line', 'name: {a: b}', "begins with '{'"],
    ['an anchor', 'name: &a pdf', "begins with '&'"],
    ['a list that is not closed', 'name: pdf\ndescription: [a', 'a list that is not closed'],
    ['a list of other things', 'name: pdf\ndescription:\n  - a\n  b: c', "other than '- text'"],
    ['a list in place of a text', 'name: pdf\ndescription: [a, b]', 'its description is a list'],
    ['no name', 'description: x', "no 'name'"],
    ['no description', 'name: pdf\ndescription:', "no 'description'"],
    ['a description that is too long', `name: pdf\ndescription: ${'x'.repeat(1_025)}`, 'longer than 1024'],
    [
      'a compatibility that is too long',
      `name: pdf\ndescription: x\ncompatibility: ${'x'.repeat(501)}`,
      '500',
    ],
  ])('is refused with %s', (_, lines, reason) => {
    expect(() => skill(lines)).toThrow(
      expect.objectContaining({ code: 'skill.invalid', message: expect.stringContaining(reason) }),
    );
  });

  test.each(['PDF', 'pdf_forms', '-pdf', 'pdf-', 'pdf--forms', 'pdf forms', 'é', 'x'.repeat(65)])(
    'is refused with the name %j, even of such a folder',
    (name) => {
      expect(() => skill(`name: ${name}\ndescription: x`, name)).toThrow(
        expect.objectContaining({ code: 'skill.invalid' }),
      );
    },
  );

  test('is refused if its name is not that of the folder', () => {
    expect(() => skill('name: pdf\ndescription: x', 'docx')).toThrow(
      "Cannot use the skill 'docx' as its name differs from that of its folder: 'pdf'",
    );
  });

  test('is parsed or refused with a code, whatever it is', () => {
    const pieces = [
      '---',
      '\n',
      'name',
      ': ',
      'pdf',
      'description:',
      ' x',
      '- ',
      '[',
      ']',
      '"',
      "'",
      '|',
      '#',
      '&',
      '\\',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 15 }), (lines) => {
        expect(['pdf', 'skill.invalid']).toContain(nameOrCode(lines.join('')));
      }),
    );
  });
});

const nameOrCode = (lines: string): unknown => {
  try {
    return skill(lines).name;
  } catch (thrown) {
    return isTroupeError(thrown) ? thrown.code : thrown;
  }
};
