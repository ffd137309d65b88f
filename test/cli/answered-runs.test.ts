import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import type { RunOptions } from '../../src/contracts/runs/run-options.ts';
import { policy } from '../../src/policy/index.ts';
import type { OpenRequest } from '../../src/contracts/people/request.ts';
import { approvalsSoFar } from '../../src/cli/stored/request-words.ts';
import { sqliteStore } from '../../src/persistence/sqlite/sqlite-store.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { play } from './fake-terminal.ts';

const cashier = () =>
  agent({
    name: 'cashier',
    tools: [
      tool({
        name: 'pay',
        description: 'Pays.',
        input: z.object({ amount: z.number() }),
        approval: true,
        execute: ({ amount }) => `paid ${amount}`,
      }),
    ],
    model: scriptedModel([calls({ name: 'pay', input: { amount: 3 } }), 'It is paid.']),
  });

/** A store file with a run that waits for its payment to be approved, and that no process has. */
const waitingRun = async (options: Pick<RunOptions, 'safety'> = {}): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-answered-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const file = join(folder, 'runs.db');
  const store = sqliteStore(file);
  const handle = cashier().stream('go', { ...options, store, runId: 'run-1' });
  for await (const { type } of handle) if (type === 'tool.approval-requested') break;
  await handle.suspend();
  await store.close();
  return file;
};

test('a waiting run that no process has is listed as answered once all of its requests are, so that it is resumed', async () => {
  const file = await waitingRun();
  const listed = async () => (await play(['runs', '--store', file])).stdout;
  expect(await listed()).toMatch(/waiting(?!.*answered)/);
  expect((await play(['deny', 'run-1', '--store', file])).code).toBe(0);
  expect(await listed()).toMatch(
    /waiting.*\(Answered: a worker or server of its agent continues it within seconds, if there is one\)/,
  );
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 40_000 });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  expect(await listed()).toMatch(
    /waiting.*\(Answered: no worker has taken it for (?:39|40)\.\d s \(none has a run, so perhaps there is none\), start one or resume it\)/,
  );
});

test('troupe approve says how many of several people have approved, and show counts answers that the run has not read', async () => {
  const twoLeads = { name: 'two-leads', effect: 'ask', tool: 'pay', by: 'lead', approvals: 2 } as const;
  const file = await waitingRun({ safety: policy({ rules: [twoLeads] }) });
  const call = (...args: readonly string[]) => play([...args, '--store', file, '--no-color']);
  const requestsShown = async (): Promise<unknown> =>
    Reflect.get(Object(JSON.parse((await call('show', 'run-1', '--json')).stdout)), 'requests');
  expect((await call('show', 'run-1')).stdout).toContain('! Waits for a yes (0 of 2): cashier, pay: ');

  const nobody = await call('approve', 'run-1');
  expect(nobody).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("it needs a person with the role 'lead'"),
  });
  const stranger = await call('approve', 'run-1', '--by', 'Eve', '--role', 'guest');
  expect(stranger).toMatchObject({ code: 1, stderr: expect.stringContaining("'Eve' has 'guest'") });

  const first = await call('approve', 'run-1', '--by', 'Ada', '--role', 'lead');
  expect(first.code).toBe(0);
  expect(first.stderr).toMatch(
    /^Approved \(1 of 2\): cashier, pay: .* · approved by Ada · the run waits for the others\n$/,
  );
  const { stdout } = await call('show', 'run-1');
  expect(stdout).toMatch(
    /! Waits for a yes \(1 of 2\): cashier, pay: .* · approved by Ada · troupe approve run-1 /,
  );
  expect(await requestsShown()).toMatchObject([
    { approvedBy: [{ name: 'Ada', roles: ['lead'] }], isAnswered: false },
  ]);
  expect((await call('approve', 'run-1', '--by', 'ada', '--role', 'lead')).stderr).toContain(
    'has approved it already',
  );

  const second = await call('approve', 'run-1', '--by', 'Ben', '--role', 'lead');
  expect(second.stderr).toMatch(
    /^Approved \(2 of 2\): .* · approved by Ada, Ben · no process holds the run: a worker or server of its agent continues it within seconds\n$/,
  );
  const after = (await call('show', 'run-1')).stdout;
  expect(after).toMatch(
    /! Answered, and not read by the run yet: cashier, pay: .*\n {2}! Answered: a worker or server of its agent continues it within seconds, if there is one\n/,
  );
  expect(after).not.toContain('aits for a');
  expect(await requestsShown()).toMatchObject([{ isAnswered: true }]);
});

test('approvals that several rules ask for are counted rule by rule', () => {
  const request: OpenRequest = {
    kind: 'approval',
    id: 'a',
    path: 'clerk',
    agent: 'clerk',
    askedAt: 1,
    callId: 'c',
    tool: 'pay',
    input: {},
    description: 'Paying',
    rule: 'sums',
    approvals: 2,
    also: [{ rule: 'abroad', by: 'lawyer' }],
    approvedBy: [{ name: 'Ada', roles: ['lawyer'] }],
  };
  expect(approvalsSoFar(request)).toBe('1 of 2 for sums, 1 of 1 for abroad');
  expect(approvalsSoFar({ ...request, approvals: 1, also: [] })).toBe('');
});
