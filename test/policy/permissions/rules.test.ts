import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ProposedCall } from '../../../src/contracts/tools/safety.ts';
import { anyGlob, anyPathGlob } from '../../../src/policy/permissions/glob.ts';
import type { PolicyRule } from '../../../src/policy/index.ts';
import { policy } from '../../../src/policy/index.ts';
import type { PolicyOptions } from '../../../src/policy/permissions/policy-options.ts';
import { modes } from '../../../src/policy/permissions/policy-options.ts';
import { callUntyped } from '../../support/call-untyped.ts';
import { proposed } from './proposed-call.ts';

/** True if a rule with these conditions denies the call. */
const denies = (conditions: Partial<PolicyRule>, call: ProposedCall): boolean =>
  verdict({ name: 'no', effect: 'deny', ...conditions }, call) === 'deny';

/** True if a rule with these conditions allows a call that is asked about otherwise. */
const allows = (conditions: Partial<PolicyRule>, call: ProposedCall): boolean =>
  verdict({ name: 'yes', effect: 'allow', ...conditions }, call) === 'allow';

const verdict = (rule: PolicyRule, call: ProposedCall): string => {
  const said = policy({ rules: [rule] })(call);
  return 'verdict' in said ? said.verdict : 'late';
};

describe('[KAIZEN-62] a rule matches', () => {
  test.each<[string, Partial<PolicyRule>, Parameters<typeof proposed>[0], boolean]>([
    ['any call, without conditions', {}, {}, true],
    ['a tool by its whole name', { tool: 'sav' }, {}, false],
    ['a tool by a glob', { tool: 's*e' }, {}, true],
    ['one of several tools', { tool: ['load', 'save'] }, {}, true],
    ['a toolset', { tool: 'files.*' }, { tool: 'files.write' }, true],
    ['an agent', { agent: 'clerk' }, {}, true],
    ['another agent', { agent: 'cook' }, {}, false],
    ['a role, whatever its number', { role: 'clerk' }, { agent: 'ann' }, true],
    ['an address', { path: 'desk/*' }, {}, true],
    ['an address that is too short', { path: 'desk/*/*' }, {}, false],
    ['all below', { path: 'desk/**' }, { path: 'desk/a/b/c' }, true],
    ['a level of safety', { safety: 'write' }, {}, true],
    ['several levels', { safety: ['read', 'danger'] }, {}, false],
    ['a tag', { tags: 'mon*' }, { tags: ['shop', 'money'] }, true],
    ['no tag', { tags: 'mon*' }, {}, false],
    ['an environment', { environment: 'host' }, { environment: 'host' }, true],
    ['no environment', { environment: '*' }, {}, false],
    [
      'the origin of what the agent knows',
      { after: 'web.*' },
      { earlier: [{ tool: 'web.fetch', input: {}, ok: true }], origins: ['web.fetch'] },
      true,
    ],
    ['no such origin', { after: 'web.*' }, {}, false],
    ['an argument', { input: { to: '*@evil.test' } }, { input: { to: 'x@evil.test' } }, true],
    [
      'an argument within another',
      { input: { 'order.sum': { from: 10 } } },
      { input: { order: { sum: 10 } } },
      true,
    ],
    ['an argument that is not there', { input: { to: '*' } }, {}, false],
    ['a value', { input: { size: { in: [1, 2] } } }, { input: { size: 2 } }, true],
    ['all conditions, of which one fails', { tool: 'save', agent: 'cook' }, {}, false],
  ])('%s', (_, conditions, call, isMatch) => {
    expect(denies(conditions, proposed(call))).toBe(isMatch);
    expect(allows(conditions, proposed(call))).toBe(isMatch);
  });

  test('a rule that denies leaves no way round that a model could take with arguments; one that allows is exact', () => {
    const large = { input: { sum: { from: 1_000 } } };
    const mail = { input: { to: '*@evil.test' } };
    const lists = proposed({ input: { sum: '5000', to: ['a@home.test', { address: 'b@evil.test' }] } });
    expect([denies(large, lists), denies(mail, lists)]).toEqual([true, true]);
    expect([allows(large, lists), allows(mail, lists)]).toEqual([false, false]);
    const all = proposed({ input: { to: ['a@evil.test', 'b@evil.test'] } });
    expect(allows(mail, all)).toBe(true);
    expect(allows(mail, proposed({ input: { to: [] } }))).toBe(false);
    expect(denies({ input: { __proto__x: '*' } }, proposed())).toBe(false);
    expect(denies({ input: { toString: '*' } }, proposed()), 'what an object inherits is no argument').toBe(
      false,
    );
  });

  test.each<[string, string, readonly string[], readonly string[]]>([
    [
      'a path',
      'secrets/*',
      [
        './secrets/x',
        'SECRETS/x',
        'secrets//x',
        'a/../secrets/x',
        '/secrets/x',
        '.\\secrets\\x',
        ' secrets/x',
        './secrets/',
      ],
      ['secret/x', 'a/secrets', 'public/../notes/x'],
    ],
    ['a path from the root', '/etc/*', ['/etc//passwd', '/tmp/../etc/passwd', '/ETC/passwd'], ['etc/passwd']],
    ['a path as its rule spells it', './Secrets/*', ['secrets/x', './secrets/x'], ['notes/x']],
    ['a path with marks', 'caf\u00E9/*', ['cafe\u0301/x'], ['cafe/x']],
    [
      'an address',
      'http://evil.test/*',
      [
        'http://EVIL.test/a',
        'HTTP://evil.test/a',
        'http://evil.test:80/a',
        'http://evil.test./a',
        'http://evil.test',
        'http://me:you@evil.test/a',
        'http:\\\\evil.test\\a',
        '\thttp://evil.\ntest/a',
        'http://ev%69l.test/a',
        'http://\uFF45vil.test/a',
      ],
      [
        'http://evil.test.example/a',
        'http://good.test/?to=http://evil.test/',
        'mailto:evil.test',
        'http://[',
      ],
    ],
    [
      'a place at an address',
      '*/admin/*',
      ['https://a.test/x/../ADMIN/y', 'https://a.test/%61dmin/y'],
      ['https://a.test/%zz/y'],
    ],
    [
      'an address of the loopback',
      'http://127.0.0.1/*',
      ['http://2130706433/', 'http://0x7f.1/a'],
      ['http://127.0.0.2/'],
    ],
    ['a name', 'root', ['Root', ' root '], ['roots']],
  ])(
    'however a model spells %s, a rule that denies or asks finds it; one that allows is exact',
    (_, glob, same, others) => {
      for (const test of [glob, ...(glob.includes('*') ? [] : [{ in: [glob] }])]) {
        const rule = { input: { to: test } };
        const to = (text: string) => proposed({ input: { to: text } });
        expect(same.filter((text) => !denies(rule, to(text)))).toEqual([]);
        expect(
          same.filter((text) => verdict({ name: 'ask', effect: 'ask', ...rule }, to(text)) !== 'ask'),
        ).toEqual([]);
        expect(others.filter((text) => denies(rule, to(text)))).toEqual([]);
        expect([...same, ...others].filter((text) => allows(rule, to(text)) !== anyGlob(glob)(text))).toEqual(
          [],
        );
      }
    },
  );

  test('[M69] capabilities only shrink down the tree: what an agent may not do, nobody below it may; what it may, they may not yet', () => {
    const below = proposed({ agent: 'helper', path: 'desk/clerk-1/helper-0', above: ['desk', 'clerk'] });
    for (const conditions of [{ agent: 'clerk' }, { role: 'clerk' }, { path: 'desk/clerk-1' }]) {
      expect(denies(conditions, below)).toBe(true);
      expect(allows(conditions, below)).toBe(false);
    }
  });

  test('the time of the call counts, in its time zone, also over midnight', () => {
    const at = (text: string) => proposed({ at: Date.parse(text) });
    const office = { between: { from: '09:00', to: '17:00', days: ['mon', 'fri'], zone: 'Europe/Paris' } };
    // A Monday; Paris is an hour ahead in winter, two in summer.
    expect(denies(office, at('2026-01-05T08:00:00Z'))).toBe(true);
    expect(denies(office, at('2026-01-05T07:59:59Z'))).toBe(false);
    expect(denies(office, at('2026-01-05T16:00:00Z'))).toBe(false);
    expect(denies(office, at('2026-07-06T07:00:00Z'))).toBe(true);
    expect(denies(office, at('2026-01-06T10:00:00Z')), 'a Tuesday').toBe(false);
    const night = { between: { from: '22:00', to: '06:00' } };
    expect([23, 5, 6, 21].map((hour) => denies(night, proposed({ at: Date.UTC(2026, 0, 5, hour) })))).toEqual(
      [true, true, false, false],
    );
    const month = { between: { since: '2026-01-01', until: '2026-01-31' } };
    expect([denies(month, at('2026-01-31T23:59:59Z')), denies(month, at('2026-02-01T00:00:00Z'))]).toEqual([
      true,
      false,
    ]);
  });

  test('globs match the whole text, and cost at most the product of both lengths', () => {
    expect(anyGlob('a*b?d')('axxbcd')).toBe(true);
    expect(anyGlob('a*b?d')('axxbcde')).toBe(false);
    expect(anyGlob('a.c')('abc'), 'no sign of a regular expression means anything').toBe(false);
    expect(anyPathGlob('**/.git/**')('.git/config')).toBe(true);
    expect(anyPathGlob('src/*.ts')('src/a/b.ts')).toBe(false);
    expect(anyGlob(`${'*a'.repeat(200)}b`)('a'.repeat(20_000))).toBe(false);
  });

  test('a glob without signs is the text itself, and one of stars matches all', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (text, other) => {
        const plain = text.replaceAll(/[*?]/g, '_');
        expect(anyGlob(plain)(plain)).toBe(true);
        expect(anyGlob(plain)(`${plain}${other}`)).toBe(other === '');
        expect(anyGlob(`*${plain}*`)(`${other}${plain}${other}`)).toBe(true);
      }),
    );
  });
});

describe('[M69] a policy', () => {
  const rules: readonly PolicyRule[] = [
    { name: 'no-wiping', effect: 'deny', tool: ['wipe', 'drop*'], reason: 'it cannot be undone' },
    {
      name: 'large',
      effect: 'ask',
      tool: 'pay',
      input: { sum: { from: 1_000 } },
      by: 'lead',
      approvals: 2,
      expireAfterMs: 60_000,
      between: { from: '09:00', to: '17:00', zone: 'Europe/Paris' },
    },
    { name: 'notes', effect: 'allow', tool: 'save', agent: 'clerk' },
  ];

  test('that denies all but what others allow is told how that is written', () => {
    const made = () =>
      policy({
        rules: [
          { name: 'none', effect: 'deny' },
          { name: 'notes', effect: 'allow', tool: 'save' },
        ],
      });
    expect(made).toThrow(
      "the rule 'notes' can never decide: 'none' matches every call that it matches; write `otherwise: 'deny'` in its place",
    );
  });

  test('that is printed as JSON and read back decides the same', () => {
    const one = policy({
      mode: 'accept_edits',
      rules,
      files: { readFirst: true, protect: ['.git/**'] },
      otherwise: 'deny',
    });
    const other = policy(JSON.parse(JSON.stringify(one)));
    expect(other.toJSON()).toEqual(one.toJSON());
    const tools = fc.constantFrom('wipe', 'dropAll', 'pay', 'save', 'read', 'files.write');
    fc.assert(
      fc.property(
        tools,
        fc.constantFrom('read' as const, 'write' as const, 'danger' as const),
        fc.constantFrom('files', 'general'),
        fc.record({ sum: fc.integer({ min: 0, max: 2_000 }), path: fc.constantFrom('.git/config', 'a.md') }),
        fc.integer({ min: 0, max: 86_400_000 }),
        (tool, safety, category, input, at) => {
          const call = proposed({ tool, safety, category, input, at });
          expect(other(call)).toEqual(one(call));
        },
      ),
    );
  });

  test('never becomes more permissive by a rule that asks or denies', () => {
    const strength = { allow: 0, ask: 1, deny: 2, late: 3 };
    const condition = fc.record(
      {
        tool: fc.constantFrom('save', 'pay', 's*'),
        agent: fc.constantFrom('clerk', 'desk', 'cook'),
        safety: fc.constantFrom('read' as const, 'write' as const),
      },
      { requiredKeys: [] },
    );
    const unnamed = (...effects: readonly PolicyRule['effect'][]) =>
      fc
        .record({ effect: fc.constantFrom(...effects), conditions: condition })
        .map(({ effect, conditions }) => ({ effect, ...conditions }));
    const mode = fc.constantFrom(...modes);
    const checks = fc.option(
      fc.record({ readFirst: fc.boolean(), protect: fc.constantFrom('.env', '**/*.key') }),
      { nil: undefined },
    );
    const verdictBy = (
      given: readonly Omit<PolicyRule, 'name'>[],
      call: ProposedCall,
      options: Pick<PolicyOptions, 'mode' | 'files'>,
    ) => {
      try {
        const rules = given.map((each, index) => ({ name: `${index}`, ...each }));
        const said = policy({ ...options, rules })(call);
        return 'verdict' in said ? said.verdict : ('late' as const);
      } catch {
        return undefined;
      }
    };
    fc.assert(
      fc.property(
        fc.array(unnamed('allow', 'ask', 'deny'), { maxLength: 4 }),
        unnamed('ask', 'deny'),
        fc.record({
          tool: fc.constantFrom('save', 'pay'),
          category: fc.constantFrom('files', 'general'),
          input: fc.record({ path: fc.constantFrom('.env', 'a/b.key', 'notes.md') }),
        }),
        fc.record({ mode, files: checks }),
        (given, more, made, options) => {
          const call = proposed(made);
          const [before, after] = [given, [more, ...given]].map((rules) => verdictBy(rules, call, options));
          // Rules that are refused decide nothing.
          expect(strength[after ?? 'deny']).toBeGreaterThanOrEqual(strength[before ?? 'allow']);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test('is not changed by what happens to its options', () => {
    const mine = { name: 'no', effect: 'deny' as const, tool: 'save' };
    const strict = policy({ rules: [mine] });
    mine.tool = 'other';
    expect(strict(proposed())).toMatchObject({ verdict: 'deny' });
    expect(Object.isFrozen(strict.rules[0])).toBe(true);
  });

  test('with a function is no data, and says so', () => {
    const office = () => undefined;
    expect(() => JSON.stringify(policy({ rules: [office] }))).toThrow(
      expect.objectContaining({
        code: 'policy.invalid',
        message: expect.stringContaining("'office' is a function"),
      }),
    );
  });

  test.each([
    [{ mod: 'plan' }, 'did you mean `mode`'],
    [{ mode: 'planning' }, 'not one of plan, default'],
    [{ rules: [{ name: 'a', effect: 'deny', tools: 'x' }] }, 'did you mean `tool`'],
    [{ rules: [{ effect: 'deny' }] }, 'name'],
    [{ rules: [{ name: 'a', effect: 'forbid' }] }, 'not one of allow, ask, deny'],
    [{ rules: [{ name: 'a', effect: 'deny', by: 'lead' }] }, 'for a rule that asks'],
    [{ rules: [{ name: 'a', effect: 'deny', tool: [] }] }, 'not a list that anything matches'],
    [{ rules: [{ name: 'a', effect: 'deny', input: { sum: { from: 2, to: 1 } } }] }, 'nothing matches it'],
    [{ rules: [{ name: 'a', effect: 'deny', input: { sum: { form: 2 } } }] }, 'did you mean `from`'],
    [{ rules: [{ name: 'a', effect: 'deny', between: { from: '9:00' } }] }, 'HH:MM'],
    [
      { rules: [{ name: 'a', effect: 'deny', between: { from: '09:00', to: '09:00' } }] },
      'nothing matches it',
    ],
    [{ rules: [{ name: 'a', effect: 'deny', between: { since: '2026-02-30' } }] }, 'YYYY-MM-DD'],
    [{ rules: [{ name: 'a', effect: 'deny', between: { zone: 'Mars/Base' } }] }, 'Europe/Paris'],
    [{ rules: [{ name: 'a', effect: 'ask', approvals: 0 }] }, 'not a whole number from 1'],
    [{ files: { readfirst: true } }, 'did you mean `readFirst`'],
    [
      {
        rules: [
          { name: 'a', effect: 'deny' },
          { name: 'a', effect: 'ask' },
        ],
      },
      "several rules have the name 'a'",
    ],
    [
      {
        rules: [
          { name: 'wide', effect: 'deny', tool: '*' },
          { name: 'narrow', effect: 'allow', tool: 'save' },
        ],
      },
      "the rule 'narrow' can never decide: 'wide' matches every call that it matches",
    ],
    [
      {
        rules: [
          { name: 'one', effect: 'allow', agent: 'a' },
          { name: 'two', effect: 'allow', agent: 'a', tool: 'x' },
        ],
      },
      "the rule 'two' can never decide",
    ],
  ])('is refused with what was found: %j', (options, found) => {
    expect(() => callUntyped({ policy }, 'policy', options)).toThrow(
      expect.objectContaining({ code: 'policy.invalid', message: expect.stringContaining(found) }),
    );
  });
});
