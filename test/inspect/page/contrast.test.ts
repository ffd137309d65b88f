import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const style = resolve(import.meta.dirname, '../../../src/inspect/page/style');
const read = (name: string): string => readFileSync(resolve(style, name), 'utf8');

/** The declarations of each rule, by selector. */
const rulesIn = (css: string): readonly (readonly [string, string])[] =>
  [...css.matchAll(/([^{}]+)\{([^{}]*)\}/g)].map(([, selector = '', body = '']) => [selector.trim(), body]);

const variablesOf = (selector: string): ReadonlyMap<string, string> =>
  new Map(
    rulesIn(read('colours.css'))
      .filter(([each]) => each === selector)
      .flatMap(([, body]) => [...body.matchAll(/(--[\w-]+):\s*(#[0-9a-f]{6})/g)])
      .map(([, name = '', colour = '']) => [name, colour]),
  );

const luminance = (colour: string): number => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

const contrast = (one: string, other: string): number => {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
};

/** What a chart is drawn on: the sheet, the states around, the states, those that are active. */
const grounds = ['--ground', '--sheet', '--raised', '--accent-wash'];

/** Whether a rule of a chart is about its texts; only its lines have no words. */
const isText = (selector: string): boolean =>
  /title|text|reaction|times|note|words|button$|\.on$|opened|status|task/.test(selector);

/** The colours in which something of a graph is drawn, and whether that is text. */
const inksOf = (sheet: string): readonly (readonly [string, string, boolean])[] =>
  rulesIn(read(sheet)).flatMap(([selector, body]) =>
    [...body.matchAll(/(?<![\w-])(fill|stroke|color|border-color):\s*var\((--[\w-]+)\)/g)]
      .map(([, property = '', name = '']) => [selector, property, name] as const)
      // What lies below: the filling of a box, and the ground that a text is set off by.
      .filter(([, property, name]) => !(property === 'fill' && grounds.includes(name)))
      .filter(([, property]) => !(property === 'stroke' && isText(selector)))
      .map(([, , name]) => [selector, name, isText(selector)] as const),
  );

describe.each([
  ['light', ':root'],
  ['dark', `:root[data-theme='dark']`],
])('in the %s theme a chart can be read (WCAG AA)', (_, selector) => {
  const variables = variablesOf(selector);
  const colourOf = (name: string): string => {
    const colour = variables.get(name);
    if (colour === undefined) throw new Error(`${name} has no colour`);
    return colour;
  };

  test.each(['chart.css', 'work.css'])(
    'by %s: texts have a contrast of 4.5, lines one of 3, to whatever is below them',
    (sheet) => {
      const inks = inksOf(sheet);
      expect(inks.filter(([, , text]) => text).length).toBeGreaterThan(6);
      expect(inks.filter(([, , text]) => !text).length).toBeGreaterThan(4);
      const poor = inks.flatMap(([rule, name, text]) =>
        grounds
          .map((ground) => [rule, name, ground, contrast(colourOf(name), colourOf(ground))] as const)
          .filter(([, , , ratio]) => ratio < (text ? 4.5 : 3)),
      );
      expect(poor).toEqual([]);
    },
  );
});

test.each(['chart.css', 'work.css'])(
  'no text of %s is smaller than 12 px, which are 11 at its smallest scale',
  (sheet) => {
    const sizes = [...read(sheet).matchAll(/(?:font|font-size):[^;]*?(\d+(?:\.\d+)?)px/g)].map(([, size]) =>
      Number(size),
    );
    expect(sizes.length).toBeGreaterThan(3);
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(12);
  },
);
