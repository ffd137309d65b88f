import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { control, Looker } from '../inspect/local/local-kit.ts';
import { play } from './fake-terminal.ts';
import { moduleOf, root, troupe } from './run-command.ts';
import { isThorough } from '../support/thorough.ts';

interface Session {
  readonly runs: readonly { readonly run: string; readonly agent: string; readonly status: string }[];
}

const ENDS = ['completed', 'stopped', 'aborted', 'failed'];

const sessionAt = async (url: string): Promise<Session> => {
  const { searchParams, origin } = new URL(url);
  const answered = await fetch(`${origin}/api/session`, {
    headers: { authorization: `Bearer ${searchParams.get('token')}` },
  });
  return (await answered.json()) as Session;
};

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-programs-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Has a program inspected until it is done; gives what the inspector saw of it. */
const inspected = async (file: string) => {
  let seen: Promise<Session> | undefined;
  const played = await play(['inspect', file], {
    folder,
    onPrinted: (printed, interrupt) => {
      const url = /Inspector: (\S+)/.exec(printed)?.[1];
      if (url === undefined || seen !== undefined || !printed.includes('Ctrl-C closes')) return;
      seen = sessionAt(url).finally(interrupt);
    },
  });
  return { played, session: await seen };
};

const example = (name: string): string => join(root, 'examples', name);

describe('troupe inspect of a program as it is', () => {
  // One of each kind: a lone agent that is exported, a team, an app's own machine, stores and forks, members, a workflow, its own inspector.
  test.each([
    ['01-first-agent.ts', 1],
    ['02-tools.ts', 1],
    ['04-embed-in-xstate.ts', 1],
    ['05-a-team.ts', 1],
    ['13-fork-and-compare.ts', 2],
    ['16-parallel.ts', 1],
    ['24-workflow.ts', 1],
  ])('[FIND-78] shows every run of %s', async (name, least) => {
    const { played, session } = await inspected(example(name));
    expect(played.stderr).not.toContain('✗');
    expect(played.code).toBe(0);
    expect(session?.runs.length).toBeGreaterThanOrEqual(least);
    expect(session?.runs.filter(({ status }) => !ENDS.includes(status))).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  if (isThorough)
    test('[FIND-78] runs it with its own arguments, in a separate process, where it starts others', async () => {
      const { exit, stdout, stderr } = await troupe(['inspect', example('11-crash-and-resume.ts')], {
        cwd: folder,
        interrupt: { when: 'Ctrl-C closes the inspector.' },
      });
      expect(stderr).not.toContain('✗');
      expect({ exit, stdout }).toEqual({ exit: 0, stdout: expect.stringMatching(/\S/) as string });
      expect(readdirSync(folder)).toEqual([]);
    });

  test('[FIND-78] says what is wrong with a program that fails, and shows what it did', async () => {
    const { played } = await inspected(moduleOf('failing-program.ts'));
    expect(played.code).toBe(1);
    expect(played.stderr).toContain('the cellar is flooded');
  });
});

test('[FIND-78] with --control and no store a call waits for the page to approve it', async () => {
  let done: Promise<unknown> | undefined;
  const played = await play(
    ['run', moduleOf('people.ts'), 'write', '--inspect', '--control', '--store', 'none'],
    {
      onPrinted: (printed, interrupt) => {
        const url = /Inspector: (\S+)/.exec(printed)?.[1];
        if (url === undefined || done !== undefined) return;
        const inspector = { url, token: new URL(url).searchParams.get('token') ?? '' };
        done = (async () => {
          for (const kind of ['question', 'approval'] as const) {
            const { requests } = await new Looker(inspector).until((looker) =>
              looker.requests.some((request) => request.kind === kind),
            );
            const id = requests.find((request) => request.kind === kind)?.id;
            const run = (await sessionAt(url)).runs[0]?.run;
            const said = kind === 'question' ? { do: 'reply', text: 'Ada' } : { do: 'approve' };
            expect(await control(inspector, { run, id, ...said })).toMatchObject({ status: 200 });
          }
          await new Looker(inspector).until((looker) =>
            looker.data('entry').some((line) => line.includes('"type":"run.ended"')),
          );
        })().finally(interrupt);
      },
    },
  );
  await done;
  expect(played.stdout).toBe('Ada | sent to Ada\n');
});
