import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { rehearse } from '../../examples/47-support-desk/rehearse.ts';
import { findBrowser } from '../support/find-browser.ts';

const modules = resolve(import.meta.dirname, 'node_modules');
const chromium = findBrowser();

test.skipIf(chromium === undefined)(
  'the pages of useAgent and of the genuine useChat go on without being loaded again when their server is killed, twice',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'support-desk-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const told: string[] = [];
    await rehearse({
      folder,
      chromium: chromium ?? '',
      packages: { '@ai-sdk/react': join(modules, '@ai-sdk/react'), ai: join(modules, 'ai-v7') },
      pictures: process.env['TROUPE_PICTURES'],
      report: (line) => told.push(line),
    });
    expect(told).toHaveLength(6);
    expect(told[1]).toContain('2 refunds wait');
  },
);
