import { describe, expect, test } from 'vitest';
import { absentFile } from '../../../src/contracts/environments/absent-file.ts';
import type { PolicyRule } from '../../../src/policy/index.ts';
import { policy } from '../../../src/policy/index.ts';
import { proposed } from './proposed-call.ts';

type PolicyOptions = Parameters<typeof policy>[0];

const rule = (effect: PolicyRule['effect'], conditions: Partial<PolicyRule> = {}): PolicyRule => ({
  name: `${effect}-save`,
  effect,
  tool: 'save',
  ...conditions,
});
const [denying, asking, allowing] = [
  rule('deny', { path: 'desk/**' }),
  rule('ask', { agent: 'clerk' }),
  rule('allow', { safety: ['write', 'danger'] }),
];
const edit = proposed({ category: 'files', input: { path: 'notes.md' } });
const secret = proposed({ category: 'files', input: { path: './sub/../.ENV' } });
const files = { readFirst: true, protect: '.env*' };

const verdictOf = (options: PolicyOptions, call = proposed()) => policy(options)(call);

describe('[KAIZEN-63] [QITOS-99] what decides about a call, in this order', () => {
  test.each<[string, PolicyOptions, ReturnType<typeof proposed>, string, string | undefined]>([
    ['deny beats ask and allow', { rules: [allowing, asking, denying] }, proposed(), 'deny', 'deny-save'],
    ['deny beats bypass', { mode: 'bypass', rules: [denying] }, proposed(), 'deny', 'deny-save'],
    [
      'otherwise is beaten by allow',
      { otherwise: 'deny', rules: [allowing] },
      proposed(),
      'allow',
      'allow-save',
    ],
    ['otherwise is beaten by ask', { otherwise: 'deny', rules: [asking] }, proposed(), 'ask', 'ask-save'],
    ['otherwise denies what no rule names', { otherwise: 'deny' }, proposed(), 'deny', 'otherwise'],
    [
      'otherwise denies what only reads',
      { otherwise: 'deny' },
      proposed({ safety: 'read' }),
      'deny',
      'otherwise',
    ],
    ['plan beats ask', { mode: 'plan', rules: [asking] }, proposed(), 'deny', 'mode plan'],
    ['plan beats allow', { mode: 'plan', rules: [allowing] }, proposed(), 'deny', 'mode plan'],
    ['ask beats allow', { rules: [allowing, asking] }, proposed(), 'ask', 'ask-save'],
    ['ask beats bypass', { mode: 'bypass', rules: [asking] }, proposed(), 'ask', 'ask-save'],
    ['a protected path beats ask', { rules: [asking], files }, secret, 'deny', 'protected-paths'],
    ['a file that was not read beats ask', { rules: [asking], files }, edit, 'deny', 'read-before-write'],
    [
      'a protected path beats a lead',
      { mode: 'team_lead_approval_required', files },
      secret,
      'deny',
      'protected-paths',
    ],
    ['a protected path beats bypass', { mode: 'bypass', files }, secret, 'deny', 'protected-paths'],
    ['a protected path beats allow', { rules: [allowing], files }, secret, 'deny', 'protected-paths'],
    [
      'a file that was not read beats accept_edits',
      { mode: 'accept_edits', files },
      edit,
      'deny',
      'read-before-write',
    ],
    ['bypass allows', { mode: 'bypass' }, proposed({ safety: 'danger' }), 'allow', 'mode bypass'],
    ['accept_edits allows edits', { mode: 'accept_edits' }, edit, 'allow', 'mode accept_edits'],
    ['accept_edits asks about the rest', { mode: 'accept_edits' }, proposed(), 'ask', 'mode accept_edits'],
    [
      'a lead beats allow',
      { mode: 'team_lead_approval_required', rules: [allowing] },
      proposed(),
      'ask',
      'mode team_lead_approval_required',
    ],
    ['allow beats what is asked by default', { rules: [allowing] }, proposed(), 'allow', 'allow-save'],
    ['by default what writes is asked about', {}, proposed(), 'ask', 'mode default'],
    [
      'by default what cannot be undone is asked about',
      {},
      proposed({ safety: 'danger' }),
      'ask',
      'mode default',
    ],
    ['by default what reads is allowed', {}, proposed({ safety: 'read' }), 'allow', undefined],
    ['plan allows what reads', { mode: 'plan' }, proposed({ safety: 'read' }), 'allow', undefined],
  ])('%s', (_, options, call, verdict, name) => {
    expect(verdictOf(options, call)).toMatchObject({
      verdict,
      ...(name === undefined ? {} : { rule: name }),
    });
  });

  test('a function decides in the place of its verdict', () => {
    const says = (verdict: object) => () => JSON.parse(JSON.stringify(verdict));
    const [deny, ask, allow] = [
      says({ verdict: 'deny', reason: 'no' }),
      says({ verdict: 'ask', by: 'lead' }),
      says({ verdict: 'allow' }),
    ];
    expect(verdictOf({ mode: 'bypass', rules: [allow, asking, deny] })).toMatchObject({ verdict: 'deny' });
    expect(verdictOf({ mode: 'bypass', rules: [allow, ask] })).toMatchObject({ verdict: 'ask', by: 'lead' });
    expect(verdictOf({ mode: 'bypass', rules: [ask], files }, secret)).toMatchObject({
      verdict: 'deny',
      rule: 'protected-paths',
    });
    expect(verdictOf({ rules: [allow] })).toMatchObject({ verdict: 'allow' });
    expect(verdictOf({ rules: [() => undefined] })).toMatchObject({ verdict: 'ask', rule: 'mode default' });
  });

  test('the terms of all rules that ask are to be met', () => {
    const lead = rule('ask', { name: 'lead', by: 'lead' });
    const two = rule('ask', { name: 'two', approvals: 2, safety: 'write' });
    expect(verdictOf({ rules: [lead, two] })).toEqual({
      verdict: 'ask',
      rule: 'lead',
      by: 'lead',
      also: [{ rule: 'two', approvals: 2 }],
    });
  });

  test('[M84] a file may be changed once it was read, looked for or written, by any spelling of its path', () => {
    const write = (path: string, earlier: ReturnType<typeof proposed>['earlier']) =>
      verdictOf(
        { mode: 'bypass', files },
        proposed({ tool: 'files.write', category: 'files', input: { path }, earlier }),
      );
    expect(write('a.md', [])).toMatchObject({ verdict: 'deny', rule: 'read-before-write' });
    const read = { tool: 'files.read', input: { path: './a.md' }, ok: true };
    expect(write('a.md', [read])).toMatchObject({ verdict: 'allow' });
    expect(write('b.md', [read])).toMatchObject({ verdict: 'deny' });
    const absent = `Cannot run 'files.read' as ${absentFile('./a.md').message}`;
    expect(write('a.md', [{ ...read, ok: false, text: absent }]), 'it is not there yet').toMatchObject({
      verdict: 'allow',
    });
    const failures = [undefined, `Cannot run 'files.read' as it was denied`, absentFile('b.md').message];
    for (const text of failures)
      expect(write('a.md', [{ ...read, ok: false, text }]), text).toMatchObject({ verdict: 'deny' });
    expect(write('a.md', [{ ...read, text: absent }]), 'it says so itself').toMatchObject({
      verdict: 'allow',
    });
    const wrote = { tool: 'files.write', input: { path: 'a.md' }, ok: true };
    expect(write('a.md', [wrote])).toMatchObject({ verdict: 'allow' });
    expect(write('a.md', [{ ...wrote, ok: false }])).toMatchObject({ verdict: 'deny' });
    expect(write('a.md', [{ ...read, tool: 'other.read' }])).toMatchObject({ verdict: 'deny' });
  });
});
