import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toolNames } from '../../src/models/calls/tool-names.ts';

it('[F17] any names become legal, different ones stay different, and each finds its way back', () => {
  const name = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 90 }),
    fc.constantFrom('a.b', 'a_b', 'a/b', 'a b'),
  );
  fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 12 }), (list) => {
      const names = toolNames(list);
      const legal = list.map((each) => names.legal(each));
      for (const each of legal) expect(each).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(new Set(legal).size).toBe(list.length);
      expect(legal.map((each) => names.original(each))).toEqual(list);
      expect(list.map((each) => toolNames(list).legal(each))).toEqual(legal);
    }),
  );
});

it('tools that come after others change none of their names', () => {
  const first = toolNames(['crm.ping', 'grep']);
  const later = toolNames(['crm.ping', 'grep', 'crm_ping', 'crm/ping']);
  for (const name of ['crm.ping', 'grep']) expect(later.legal(name)).toBe(first.legal(name));
  expect(later.legal('crm_ping')).toMatch(/^crm_ping_[0-9a-f]{8}$/);
  expect(later.original(later.legal('crm_ping'))).toBe('crm_ping');
});

it('a name of the past, whose tool is gone, is made legal too', () => {
  const names = toolNames([]);
  expect(names.legal('old.tool')).toBe('old_tool');
  expect(names.original('old_tool')).toBe('old.tool');
});

it('a name that was never given out is returned as it is: the runtime says that it is unknown', () => {
  expect(toolNames(['a']).original('invented')).toBe('invented');
});
