import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openingQuery, spareColumns } from '../../../src/inspect/page/home/runs-query.ts';
import type { Changed, SavedView } from '../../../src/inspect/page/home/saved-views.ts';
import {
  MOST_VIEWS,
  renameView,
  viewsIn,
  viewsText,
  withoutView,
  withView,
} from '../../../src/inspect/page/home/saved-views.ts';

const dear = { ...openingQuery, find: 'ferry', status: 'failed', sort: 'cost', isDescending: true } as const;

const viewsOf = (changed: Changed): readonly SavedView[] => ('views' in changed ? changed.views : []);

const both = viewsOf(withView(viewsOf(withView([], 'Dear ones', dear)), 'All', openingQuery));

const kept = (...views: readonly unknown[]): string => JSON.stringify({ v: 1, views });

describe('the views that a browser keeps', () => {
  test('are read as they were written, in the order of their names', () => {
    expect(both.map(({ name }) => name)).toEqual(['All', 'Dear ones']);
    expect(viewsIn(viewsText(both))).toEqual({ views: both, note: undefined });
    expect(viewsIn(null)).toEqual({ views: [], note: undefined });
  });

  test('are read one by one: those that are damaged or foreign are left out, and counted in a note', () => {
    const [, good] = both;
    const bad = [
      { name: '', query: openingQuery },
      { name: 'x'.repeat(61), query: openingQuery },
      { name: 'two\nlines', query: openingQuery },
      { name: 'sorted by nothing', query: { ...openingQuery, sort: 'constructor' } },
      { name: 'hides the title', query: { ...openingQuery, hidden: ['title'] } },
      { name: 'of another program', query: { ...openingQuery, more: 1 } },
      { name: 'long', query: { ...openingQuery, find: 'x'.repeat(501) } },
      'text',
      null,
      good,
    ];
    const read = viewsIn(kept(good, ...bad));
    expect(read.views).toEqual([good]);
    expect(read.note).toBe(
      '10 of 11 saved views cannot be read, and are ignored: the next change replaces them',
    );
  });

  test('of another version, or of no form at all, are ignored with a note', () => {
    for (const text of ['{', '7', 'null', '[]', '{"v":2,"views":[]}', '{"v":1}', '{"v":1,"views":{}}'])
      expect(viewsIn(text)).toEqual({
        views: [],
        note: 'Saved views that cannot be read are ignored: the next change replaces them',
      });
  });

  test('are at most fifty, also where more are written', () => {
    const many = Array.from({ length: 60 }, (_, n) => ({ name: `view ${n}`, query: openingQuery }));
    const { views, note } = viewsIn(kept(...many));
    expect(views).toHaveLength(MOST_VIEWS);
    expect(note).toContain('10 of 60');
    expect(withView(views, 'one more', openingQuery)).toEqual({
      refusal: 'Cannot save the view as there are 50 already: remove one',
    });
    expect(viewsOf(withView(views, 'view 3', dear))).toHaveLength(MOST_VIEWS);
  });

  test('of any text are never an error, and are written as they are read', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.json().map((each) => kept(JSON.parse(each))),
        ),
        (text) => {
          const { views } = viewsIn(text);
          expect(viewsIn(viewsText(views)).views).toEqual(views);
        },
      ),
    );
  });

  test('can be saved by any name, again by the same, renamed and removed', () => {
    const query = { ...dear, hidden: spareColumns.slice(0, 2) };
    const again = viewsOf(withView(both, ' Dear ones ', query));
    expect(again.map(({ name }) => name)).toEqual(['All', 'Dear ones']);
    expect(again[1]?.query).toEqual(query);
    expect(viewsOf(renameView(again, 'All', 'Zoo')).map(({ name }) => name)).toEqual(['Dear ones', 'Zoo']);
    expect(viewsOf(renameView(again, 'All', 'All'))).toEqual(again);
    expect(withoutView(again, 'All').map(({ name }) => name)).toEqual(['Dear ones']);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const views = viewsOf(withView([], name, dear));
        expect(viewsIn(viewsText(views))).toEqual({ views, note: undefined });
      }),
    );
  });

  test('refuse a name that is none or taken, and words without end', () => {
    expect(withView(both, '  ', dear)).toEqual({
      refusal: 'Cannot save the view as it has no name: write one',
    });
    expect(renameView(both, 'All', 'Dear ones')).toEqual({
      refusal: "Cannot rename the view as there is another 'Dear ones': choose another name",
    });
    expect(renameView(both, 'All', '')).toMatchObject({ refusal: expect.stringContaining('no name') });
    expect(withView(both, 'long', { ...dear, find: 'x'.repeat(501) })).toMatchObject({
      refusal: expect.stringContaining('more than 500 characters'),
    });
  });
});
