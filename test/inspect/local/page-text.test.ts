import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pageText } from '../../../src/inspect/local/page-text.ts';
import { ask, openInspector, portOf } from './local-kit.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-page-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('the page of this package is built where its sources are run, and every script and style of it has the nonce', async () => {
  const inspector = await openInspector({ page: undefined });
  const { status, text, headers } = await ask(portOf(inspector), `/?token=${inspector.token}`);
  expect(status).toBe(200);
  expect(text).toContain('<title>troupe');
  const nonce = /script-src 'nonce-([^']+)'/.exec(String(headers['content-security-policy']))?.[1] ?? '';
  const tags = text.match(/<(script|style)\b[^>]*>/g) ?? [];
  expect(tags.length).toBeGreaterThan(1);
  expect(tags.filter((tag) => !tag.includes(`nonce="${nonce}"`))).toEqual([]);
});

test('the page that was built with the package is taken where there are no scripts', async () => {
  mkdirSync(join(folder, 'dist/inspect'), { recursive: true });
  writeFileSync(join(folder, 'dist/inspect/page.html'), 'built');
  expect(await pageText(folder)).toBe('built');
});

test('a page that is missing, or cannot be built, is an error with a code', async () => {
  await expect(pageText(folder)).rejects.toMatchObject({ code: 'inspector.page-missing' });
  mkdirSync(join(folder, 'scripts'));
  writeFileSync(join(folder, 'scripts/page.ts'), `throw new Error('no esbuild');`);
  await expect(pageText(folder)).rejects.toMatchObject({
    code: 'inspector.page-missing',
    message: expect.stringContaining('could not be built') as string,
  });
});
