import { join } from 'node:path';
import { createElement } from 'react';
import type { FunctionComponent } from 'react';
import { renderToString } from 'react-dom/server';
import { beforeAll, describe, expect, it } from 'vitest';
import { pageComponents, writePageComponents } from '../support/page-components.ts';
import { root } from '../support/run-script.ts';

const folder = join(root, '.tmp/page-components');

// That they compile, as all code of the pages does, is the law of `readme.test.ts`.
describe('the components of the pages', () => {
  beforeAll(() => {
    writePageComponents(folder);
  });

  it.each(pageComponents)('are rendered: $place', async ({ file }) => {
    const exported = Object.values<unknown>(await import(join(folder, file)));
    expect(exported).not.toEqual([]);
    for (const each of exported) {
      const html = renderToString(createElement(each as FunctionComponent<{ id: string }>, { id: 'r1' }));
      expect(html).toMatch(/^<[a-z]+>/);
    }
  });
});
