import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { OtherProcess } from '../../../src/inspect/local/processes/other-process.ts';
import { OtherProcesses } from '../../../src/inspect/local/processes/other-processes.ts';
import { SIGN_HEADER } from '../../../src/inspect/local/processes/ask-process.ts';
import type { Registration } from '../../../src/inspect/local/processes/registration.ts';
import type { ListedRun } from '../../../src/inspect/local/session-board.ts';

const sign = 'a-sign-of-enough-letters';
const token = 'a-token-of-enough-letters';

const toClose: (() => void)[] = [];
afterEach(() => {
  for (const close of toClose.splice(0).toReversed()) close();
});

interface Said {
  /** Frames of the recording. */
  readonly frames: string;
  readonly rows: string;
  readonly sign?: string;
}

/** A server that has registered itself, and says what it likes; `asked` has what it was asked. */
const startLiar = async (said: Said) => {
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    asked.push(`${request.headers.authorization} ${request.url}`);
    response.setHeader(SIGN_HEADER, said.sign ?? sign);
    if (request.url?.startsWith('/api/recording') === true) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(said.frames);
    } else response.end(said.rows);
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
  const folder = mkdtempSync(join(tmpdir(), 'troupe-liar-'));
  const registration: Registration = {
    v: 1,
    id: 'liar-liar',
    pid: process.ppid,
    program: 'liar.js',
    port,
    token,
    sign,
    control: true,
    startedAt: 1,
  };
  writeFileSync(join(folder, 'liar-liar.json'), JSON.stringify(registration), { mode: 0o600 });
  toClose.push(() => {
    rmSync(folder, { recursive: true, force: true });
    server.close();
    server.closeAllConnections();
  });
  return { folder, registration, asked };
};

const following = async (said: Said) => {
  const liar = await startLiar(said);
  const found = new OtherProcess(liar.registration, liar.folder);
  toClose.push(() => {
    found.close();
  });
  return { ...liar, found };
};

const row: ListedRun = {
  run: 'r1',
  agent: 'clerk',
  isLive: true,
  status: 'running',
  title: 'Pay',
  source: 'live',
  startedAt: 1,
  isKept: false,
};

const rowsOf = (...rows: readonly unknown[]): string => JSON.stringify({ version: 1, isWhole: true, rows });

const entry = (n: number, more: object = {}): string =>
  pack(n, [[0, { at: 1, kind: 'gone', actor: 'r1/clerk', status: 'done', ...more }]]);

const pack = (n: number, rows: readonly unknown[]): string =>
  `event: entries\nid: ${n}\ndata: ${JSON.stringify({ n, rows })}\n\n`;

/** A few characters that stand for gigabytes: a long part of a context, of which nothing changes for ever. */
const bomb = pack(0, [
  [2, 'r1/clerk', 1, null, [[['go'], ['on'], { kept: { text: 'x'.repeat(1_000_000), of: {} } }, 0, 'go']]],
  ...Array.from({ length: 20_000 }, () => [2, 0, 0, null, [[0, 0, { kept: {} }, ['kept'], 'go']]]),
]);

describe('another process', () => {
  test('is read as far as it says what it should, and no further', async () => {
    const frames = `${entry(0)}${entry(1)}${entry(7)}${entry(2)}`;
    const { found } = await following({ frames, rows: rowsOf(row) });
    await expect.poll(() => found.feed.recording.length).toBe(2);
    await expect.poll(() => found.rows.length).toBe(1);
    expect(found.rows[0]).toMatchObject({ run: 'r1', process: { program: 'liar.js', control: true } });
  });

  test.each<[string, string]>([
    ['is no JSON', 'event: entries\ndata: {"n":0,\n\n'],
    ['is no entry', pack(0, [[0, { kind: 1 }]])],
    ['is no pack', 'event: entries\ndata: {"n":0,"rows":[1]}\n\n'],
    ['has an event of nobody', pack(0, [[1, 0, 0, { type: 'run.started' }]])],
    ['has rows of another kind', pack(0, [[7]])],
    ['comes to more than it says', bomb],
    ['is an event without anything', entry(0, { kind: 'published' })],
    ['is no base', 'event: base\ndata: {"length":-1,"charts":[],"actors":[]}\n\n'],
    ['are no requests', 'event: requests\ndata: {"length":3}\n\n'],
  ])('whose recording %s is followed no further, and asked for its rows', async (_, frames) => {
    const { found, asked } = await following({ frames, rows: rowsOf(row) });
    await expect.poll(() => found.rows.length).toBe(1);
    await found.renew();
    await found.renew();
    expect(asked.filter((path) => path.includes('/api/recording'))).toHaveLength(1);
  });

  test.each<[string, string]>([
    ['no JSON', '['],
    ['rows without ids', rowsOf({ ...row, run: '' })],
    ['rows of another kind', rowsOf({ ...row, title: { toString: 'x' } })],
    ['a title without end', rowsOf({ ...row, title: 'x'.repeat(100_000) })],
    [
      'more rows than one can have',
      rowsOf(...Array.from({ length: 10_001 }, (__, n) => ({ ...row, run: `r${n}` }))),
    ],
  ])('that says %s has no rows', async (_, rows) => {
    const { found } = await following({ frames: entry(0), rows });
    await found.renew();
    expect(found.rows).toEqual([]);
    await expect.poll(() => found.feed.recording.length).toBe(1);
  });

  test('that has only the port of the one that registered is told apart by what it does not know', async () => {
    const { found, asked } = await following({
      frames: entry(0),
      rows: rowsOf(row),
      sign: 'another-sign-of-letters',
    });
    await found.renew();
    await expect.poll(() => asked.some((path) => path.includes('/api/recording'))).toBe(true);
    expect([found.rows, found.feed.recording.length]).toEqual([[], 0]);
    await expect(found.ask({ path: '/api/session' })).rejects.toThrow('another server has its port');
  });

  test('that sends more than is kept loses its own past, and no more is held of it', async () => {
    const huge = 'x'.repeat(1_000_000);
    const frames = Array.from({ length: 36 }, (_, n) => entry(n, { output: huge })).join('');
    const { found } = await following({ frames, rows: rowsOf(row) });
    const { recording } = found.feed;
    while (recording.length < 36) await new Promise(setImmediate);
    // 32 of these megabytes are kept at most.
    expect(recording.first).toBeGreaterThan(30);
  });

  test('is found by who looks, and forgotten by who closes', async () => {
    const { folder } = await startLiar({ frames: entry(0), rows: rowsOf(row) });
    const others = new OtherProcesses({ folder, isAlways: true });
    expect(others.listed.map(({ program }) => program)).toEqual(['liar.js']);
    await expect.poll(async () => (await others.rows()).length).toBe(1);
    expect(others.holderOf('r1')?.registration.id).toBe('liar-liar');
    others.close();
    expect([others.listed, await others.rows()]).toEqual([[], []]);
  });
});
