import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ProposedCall } from '../../../src/contracts/tools/safety.ts';
import { act, agent, answer, tool, type Decision } from '../../../src/index.ts';
import { pipeline } from '../../../src/patterns/index.ts';
import { cedar, policy } from '../../../src/policy/index.ts';
import { callUntyped } from '../../support/call-untyped.ts';
import { proposed } from './proposed-call.ts';

const POLICIES = `
  @id("small") permit (principal in Agent::"desk", action == Action::"save", resource)
    when { context.input has euros && context.input.euros < 1000 };
  @id("no-mail-after-web") forbid (principal, action == Action::"save", resource)
    when { context.after.contains("web.read") };
  permit (principal, action, resource in Toolset::"files") when { resource.safety == "read" };
`;
const judge = async (call: ProposedCall, policies = POLICIES) => (await cedar({ policies }))(call);
const paying = (euros: unknown, given: Parameters<typeof proposed>[0] = {}) =>
  proposed({ input: JSON.parse(JSON.stringify({ euros })), ...given });

describe('[KAIZEN-62] Cedar, by its own package,', () => {
  test('allows what a policy permits, and names it', async () => {
    expect(await judge(paying(999))).toEqual({ verdict: 'allow', rule: 'small' });
    expect(await judge(proposed({ tool: 'files.read', safety: 'read' }))).toEqual({
      verdict: 'allow',
      rule: 'policy2',
    });
  });

  test.each([
    ['no policy permits', paying(1000)],
    ['no policy permits, by another agent', paying(1, { agent: 'clerk', above: [] })],
    ['no policy knows', proposed({ tool: 'wipe' })],
    ['no policy permits, without the argument', proposed({ input: {} })],
  ])('denies what %s', async (_, call) => {
    expect(await judge(call)).toMatchObject({ verdict: 'deny', reason: 'no policy of Cedar permits it' });
  });

  test('denies what a policy forbids by the origin of data, whatever another permits', async () => {
    const origins = ['web.read'];
    expect(await judge(paying(1, { origins }))).toEqual({
      verdict: 'deny',
      rule: 'no-mail-after-web',
      reason: "the policy 'no-mail-after-web' forbids it",
    });
  });

  test('denies a call that is fed by what another agent of its run has read', async () => {
    const made: string[] = [];
    const does = (name: string) =>
      agent({
        name: `${name}er`,
        tools: [
          tool({
            name,
            description: 'Does it.',
            input: z.object({}),
            execute: () => String(made.push(name)),
          }),
        ],
        decide: ({ step }): Decision => (step === 0 ? act({ name, input: {} }) : answer('done')),
      });
    const line = pipeline({ name: 'line', stages: [does('web_read'), does('save')] });
    const policies = `permit (principal, action, resource);
      forbid (principal, action == Action::"save", resource) when { context.after.contains("web_read") };`;
    await line.run('go', { safety: policy({ rules: [await cedar({ policies })] }) });
    expect(made).toEqual(['web_read']);
  });

  test.each([
    ['a text for a number', '999'],
    ['a fraction for a whole number', 12.5],
    ['a fraction that no decimal holds', 1e-9],
  ])(
    'denies where a policy fails on %s, as one that is passed over may have forbidden it',
    async (_, euros) => {
      expect(await judge(paying(euros))).toMatchObject({
        verdict: 'deny',
        rule: 'small',
        reason: expect.stringContaining("the policy 'small' failed"),
      });
    },
  );

  test.each([
    ['passes for an entity', { euros: { __entity: { type: 'Agent', id: 'root' } } }, /__entity/],
    ['passes for a function', { euros: { __extn: { fn: 'decimal', arg: '1.0' } } }, /__extn/],
    [
      'is nested without end',
      JSON.parse('{"a":'.repeat(3_000) + '1' + '}'.repeat(3_000)),
      /recursion|call stack/,
    ],
  ])('denies a call whose input %s', async (_, input, reason) => {
    expect(await judge(proposed({ input }))).toMatchObject({
      verdict: 'deny',
      rule: 'cedar',
      reason: expect.stringMatching(reason),
    });
    // What Cedar choked on leaves it whole.
    expect(await judge(paying(1))).toMatchObject({ verdict: 'allow' });
  });

  test('is told the role, the agents above, the tool, the environment, the time and what the app adds', async () => {
    const policies = `permit (principal in Role::"researcher", action, resource is Tool) when {
      principal in Agent::"desk" && principal in Agent::"lead" && !(principal in Role::"lead") &&
      resource.category == "files" && resource.tags.contains("slow") && resource in Toolset::"files" &&
      context.path == "desk/lead-1/researcher-2" && context.environment == "shop" &&
      context.time == datetime("2026-01-05T12:00:00Z") && context.also.tenant == "acme" &&
      context.input.half == decimal("0.5") && !(context.input has nothing) && context.input.list.contains(1)
    };`;
    const rule = await cedar({
      policies,
      also: ({ context }) => z.object({ tenant: z.string() }).parse(context),
    });
    const call = proposed({
      tool: 'files.save',
      category: 'files',
      tags: ['slow'],
      agent: 'scout',
      path: 'desk/lead-1/researcher-2',
      above: ['desk', 'lead', 'scout'],
      environment: 'shop',
      context: { tenant: 'acme', key: 'secret' },
      input: { half: 0.5, nothing: null, list: [1, null] },
    });
    expect(rule(call)).toEqual({ verdict: 'allow', rule: 'policy0' });
    expect(rule({ ...call, context: 'none' })).toMatchObject({ verdict: 'deny', rule: 'cedar' });
  });

  test('knows the entities of the app beside its own, as they were when the rule was made', async () => {
    const entity = {
      uid: { type: 'Agent', id: 'clerk' },
      attrs: { level: 3 },
      parents: [{ type: 'Group', id: 'trusted' }],
    };
    const entities = [entity];
    const rule = await cedar({
      policies:
        'permit (principal in Group::"trusted", action, resource) when { principal.level > 2 && principal in Agent::"desk" };',
      entities,
    });
    entities.pop();
    entity.attrs.level = 0;
    expect(rule(proposed())).toMatchObject({ verdict: 'allow' });
    expect(rule(proposed({ agent: 'other' }))).toMatchObject({ verdict: 'deny' });
  });

  test('knows an entity of the app by either form of its identity, and adds the parents of both', async () => {
    const entities = [
      {
        uid: { __entity: { type: 'Agent', id: 'clerk' } },
        attrs: { level: 3 },
        parents: [{ __entity: { type: 'Group', id: 'trusted' } }, { type: 'Agent', id: 'desk' }],
      },
    ];
    const policies =
      'permit (principal in Group::"trusted", action, resource) when { principal.level > 2 && principal in Agent::"desk" && principal in Role::"clerk" };';
    const rule = await cedar({ policies, entities });
    expect(rule(proposed())).toMatchObject({ verdict: 'allow' });
    expect(rule(proposed({ agent: 'other' }))).toMatchObject({ verdict: 'deny' });
  });

  test('names each of many policies by its own number', async () => {
    const policies = Array.from(
      { length: 12 },
      (_, index) => `permit (principal, action, resource) when { context.input.n == ${index} };`,
    ).join('\n');
    for (const n of [2, 9, 10, 11])
      expect(await judge(proposed({ input: { n } }), policies)).toEqual({
        verdict: 'allow',
        rule: `policy${n}`,
      });
  });
});

const SCHEMA = `
  entity Role; entity Toolset; entity Agent in [Agent, Role];
  entity Tool in [Toolset] { safety: String, category: String, tags: Set<String> };
  action save appliesTo { principal: Agent, resource: Tool,
    context: { input: { euros: Long }, path: String, after: Set<String>, time: datetime } };
`;

describe('[KAIZEN-62] a schema of Cedar', () => {
  const policies =
    'permit (principal, action == Action::"save", resource) when { context.input.euros < 1000 };';

  test('has requests that fit it judged, and others denied', async () => {
    const rule = await cedar({ policies, schema: SCHEMA });
    expect(rule(paying(1))).toMatchObject({ verdict: 'allow' });
    expect(rule(paying('1'))).toMatchObject({ verdict: 'deny', rule: 'cedar' });
    expect(rule(proposed({ tool: 'other' }))).toMatchObject({ verdict: 'deny', rule: 'cedar' });
  });

  test('refuses policies that do not fit it', async () => {
    await expect(
      cedar({ policies: policies.replace('euros', 'dollars'), schema: SCHEMA }),
    ).rejects.toMatchObject({
      code: 'policy.invalid',
      message: expect.stringMatching(/attribute `input\.dollars`.*not found/),
    });
  });
});

describe('[KAIZEN-62] a rule of Cedar is refused when it is made', () => {
  const policies = 'permit (principal, action, resource);';
  test.each<[string, object, RegExp]>([
    ['without policies', {}, /its policies is not a non-empty string/],
    ['with none in them', { policies: '// none' }, /hold none/],
    [
      'with broken policies',
      { policies: 'permit (principal, action' },
      /Cedar refuses its `policies`: unexpected end of input/,
    ],
    ['with a template', { policies: 'permit (principal == ?principal, action, resource);' }, /template/],
    [
      'with two of one name',
      { policies: `@id("a") ${policies} @id("a") ${policies}` },
      /several .* the name 'a'/,
    ],
    ['with a broken schema', { policies, schema: 'entity {' }, /Cedar refuses its `schema`/],
    ['with broken entities', { policies, entities: [{ uid: 3 }] }, /Cedar refuses its `entities`/],
    [
      'with entities whose parents are none',
      { policies, entities: [{ uid: { type: 'Agent', id: 'clerk' }, attrs: {}, parents: 'all' }] },
      /Cedar refuses its `entities`/,
    ],
    [
      'with a schema that is JSON of something else',
      { policies, schema: { '': 3 } },
      /Cedar refuses its `schema`/,
    ],
    ['with entities that are none', { policies, entities: 'all' }, /not a list of entities/],
    ['with an unknown option', { policies, polices: '' }, /did you mean|unknown/],
  ])('%s', async (_, options, message) => {
    await expect(callUntyped({ cedar }, 'cedar', options)).rejects.toMatchObject({
      code: 'policy.invalid',
      message: expect.stringMatching(message),
    });
  });
});

test('[KAIZEN-62] what Cedar denies is not called, with its policy on record', async () => {
  const made: string[] = [];
  const save = tool({
    name: 'save',
    description: 'Saves.',
    safety: 'write',
    input: z.object({}),
    execute: () => made.push('save'),
  });
  const clerk = agent({
    name: 'clerk',
    tools: [save],
    decide: ({ step, results }): Decision =>
      step === 0
        ? { kind: 'act', calls: [{ name: 'save', input: {} }] }
        : { kind: 'answer', answer: results[0]?.text ?? '' },
  });
  const rule = await cedar({ policies: '@id("never") forbid (principal, action, resource);' });
  const { output, events } = await clerk.run('go', { safety: policy({ mode: 'bypass', rules: [rule] }) });
  expect(made).toEqual([]);
  expect(output).toContain("the policy 'never' forbids it");
  expect(events.find(({ type }) => type === 'tool.denied')).toMatchObject({ rule: 'never' });
});
