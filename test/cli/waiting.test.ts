import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { withSession } from '../../src/cli/session.ts';
import { Waiting } from '../../src/cli/stored/waiting.ts';
import type { Terminal } from '../../src/cli/terminal/terminal.ts';
import { readUsage } from '../../src/cli/usage/usage.ts';
import type { OpenRequest } from '../../src/contracts/people/request.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';

const twoLeads: OpenRequest = {
  kind: 'approval',
  id: 'a1',
  path: 'cashier',
  agent: 'cashier',
  askedAt: 1,
  callId: 'c',
  tool: 'pay',
  input: {},
  description: 'Paying',
  by: 'lead',
  approvals: 2,
};

/** Prints what a run that waits says, with a way to change its requests. */
const waitingFor = async (
  isAnsweredHere: boolean,
  work: (show: (...requests: readonly OpenRequest[]) => string) => void,
): Promise<void> => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  let printed = '';
  const terminal: Terminal = {
    stdin: new PassThrough(),
    stdout: { write: () => undefined },
    stderr: { write: (text) => (printed += text) },
    environment: {},
    folder: '.',
    onInterrupt: () => () => undefined,
    interrupt: () => undefined,
    onHangUp: () => () => undefined,
    exit: () => undefined,
  };
  const store = memoryStore();
  await withSession(terminal, readUsage(['runs']).settings, (session) => {
    const waiting = new Waiting({ store, runId: 'r', option: '', isParked: false }, session, isAnsweredHere);
    work((...requests) => {
      printed = '';
      waiting.watch({ requests });
      vi.advanceTimersByTime(500);
      return printed;
    });
    waiting.end();
    return Promise.resolve(0);
  });
};

test('a run that waits for several people says for whom, and again when one of them has approved', () =>
  waitingFor(false, (show) => {
    expect(show(twoLeads)).toBe(
      '  ! Waits for a yes (0 of 2): cashier, pay: Paying · needs 2 people with the role lead · troupe approve r --by NAME --role lead\n',
    );
    expect(show(twoLeads)).toBe('');
    const approvedBy = [{ name: 'Ada', roles: ['lead'] }];
    expect(show({ ...twoLeads, approvedBy })).toMatch(/Waits for a yes \(1 of 2\): .* · approved by Ada · /);
    expect(show({ ...twoLeads, approvedBy })).toBe('');
  }));

test('a person at a terminal is told of what they cannot approve without a name, and only of that', () =>
  waitingFor(true, (show) => {
    const { by: _by, approvals: _approvals, ...plain } = twoLeads;
    expect(show(plain, { ...plain, id: 'q', kind: 'question', question: 'To whom?' })).toBe('');
    expect(show(plain, { ...twoLeads, id: 'a2' })).toMatch(
      /^ {2}! Waits for a yes \(0 of 2\): .* · troupe approve r a2 --by NAME --role lead\n$/,
    );
  }));
