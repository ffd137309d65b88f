import type { Composition, CompositionPart } from './composition.ts';
import { rowPairs } from './composition.ts';

/**
 * A composition as Mermaid text (`flowchart`), equal for equal compositions: a box for each member and tool, a hexagon for each step of
 * the team itself, a box around a team within it.
 *
 * @example
 * compositionMermaid(composition).split('\n')[0] // => 'flowchart TB'
 */
export const compositionMermaid = (composition: Composition): string => {
  const { name, description } = composition;
  return [
    'flowchart TB',
    `  %% ${oneLine(description === '' ? name : `${name}: ${description}`)}`,
    ...inside(composition, '', new Set()).map((line) => `  ${line}`),
    '',
  ].join('\n');
};

const inside = (composition: Composition, prefix: string, taken: Set<string>): readonly string[] => {
  const ids = new Map(composition.parts.map((part) => [part.id, idOf(part, prefix, taken)] as const));
  const id = (part: string): string => ids.get(part) ?? part;
  return [
    ...composition.parts.flatMap((part) => partLines(part, id(part.id), taken)),
    ...composition.arrows.map(({ from, to, text, isTwoWay }) => {
      const arrow = `${isTwoWay ? '<-->' : '-->'}${text === '' ? '' : `|"${quoteLabel(text)}"|`}`;
      return `${id(from)} ${arrow} ${id(to)}`;
    }),
    // A link that is not seen puts the second below the first.
    ...rowPairs(composition).map(([above, below]) => `${id(above)} ~~~ ${id(below)}`),
  ];
};

const partLines = (part: CompositionPart, id: string, taken: Set<string>): readonly string[] => {
  const { kind, title, lines, inside: within } = part;
  const text = [title, ...lines].map(quoteLabel).join('<br/>');
  if (within !== undefined)
    return [
      `subgraph ${id}["${text === '' ? ' ' : text}"]`,
      '  direction TB',
      ...inside(within, `${id}_`, taken).map((line) => `  ${line}`),
      'end',
    ];
  const [open, close] = SHAPES[kind];
  return [`${id}${open}"${text}"${close}`];
};

const SHAPES: Readonly<Record<CompositionPart['kind'], readonly [open: string, close: string]>> = {
  agent: ['[', ']'],
  team: ['[[', ']]'],
  tool: ['(', ')'],
  step: ['{{', '}}'],
  group: ['[', ']'],
  input: ['([', '])'],
  output: ['([', '])'],
};

/** An id of its own, out of its title; Mermaid reads some words as its own. */
const idOf = ({ title }: CompositionPart, prefix: string, taken: Set<string>): string => {
  const wanted = `${prefix}${title || 'group'}`.replaceAll(/\W/g, '_');
  let id = RESERVED.has(wanted.toLowerCase()) ? `${wanted}_` : wanted;
  while (taken.has(id)) id += '_';
  taken.add(id);
  return id;
};

const RESERVED: ReadonlySet<string> = new Set(
  'call class classdef click default direction end flowchart graph href interpolate linkstyle style subgraph'.split(
    ' ',
  ),
);

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Mermaid ends a label at a quote, and reads angle brackets as HTML. */
const quoteLabel = (text: string): string =>
  oneLine(text).replaceAll(/[#"<>]/g, (character) => `#${character.charCodeAt(0)};`);
