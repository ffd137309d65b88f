import type {
  Composition,
  CompositionArrow,
  CompositionPart,
  FlowArrow,
} from '../../machines/diagrams/composition.ts';
import { groupParts, OUTSIDE } from '../../machines/diagrams/composition.ts';
import type { Tool, Toolset } from '../../contracts/tools/tool.ts';
import type { Definition } from './definition.ts';
import { definitionOf } from './definition.ts';

type Ends = readonly [from: string, to: string, text: string];

// No name of a member has a colon in it.
const INPUT = 'in:';
const OUTPUT = 'out:';
const input: CompositionPart = { id: INPUT, kind: 'input', title: 'input', description: '', lines: [] };
const output: CompositionPart = { id: OUTPUT, kind: 'output', title: 'output', description: '', lines: [] };

/** The composition of an agent or a team: its members or tools, how work flows between them, and what is in each member. */
export const compositionOf = (definition: Definition, around: readonly Definition[] = []): Composition =>
  definition.agent === undefined
    ? teamComposition(definition, [...around, definition])
    : agentComposition(definition, [...around, definition]);

const teamComposition = (team: Definition, above: readonly Definition[]): Composition => {
  const { name, description, members, machine } = team;
  const flow = team.flow ?? { arrows: hubOf(machine.id, [...members.keys()]) };
  const arrows = flow.arrows.flatMap(endsOf);
  const steps = new Set(arrows.flatMap(([from, to]) => [from, to]).filter((id) => !members.has(id)));
  const ends = (end: CompositionPart) => (steps.delete(end.id) ? [end] : []);
  const [begin, finish] = [ends(input), ends(output)];
  return groupParts({
    name,
    description,
    parts: [
      ...begin,
      ...[...members].map(([role, member]) => partOf(role, member, above, flow.notes?.[role])),
      ...[...steps].map((id) => ({ id, kind: 'step' as const, title: id, description: '', lines: [] })),
      ...finish,
    ],
    arrows: mergedArrows(arrows),
  });
};

/** The flow of a team that does not say how its work flows: it asks its members, and they reply. */
const hubOf = (chart: string, members: readonly string[]): readonly FlowArrow[] => {
  const hub = `the ${chart}`;
  return [
    [OUTSIDE, hub],
    [hub, members],
    [members, hub],
    [hub, OUTSIDE],
  ];
};

const agentComposition = (definition: Definition, above: readonly Definition[]): Composition => {
  const { name, description } = definition;
  const items = definition.agent?.tools ?? [];
  const receivers = new Map(receiversOf(items).map((each) => [each.name, each]));
  const self = `agent:${name}`;
  const arrows: readonly Ends[] = [
    [INPUT, self, ''],
    ...items.flatMap((item): readonly Ends[] => [
      [self, toolId(item), ''],
      ...receiversOf([item]).map((to): Ends => [toolId(item), to.name, '']),
    ]),
    [self, OUTPUT, ''],
  ];
  return groupParts({
    name,
    description,
    parts: [
      input,
      { id: self, kind: 'agent', title: name, description, lines: [] },
      ...items.map(toolPart),
      ...[...receivers].map(([role, member]) => partOf(role, member, above)),
      output,
    ],
    arrows: mergedArrows(arrows),
  });
};

const partOf = (
  role: string,
  member: Definition,
  above: readonly Definition[],
  notes: readonly string[] = [],
): CompositionPart => {
  const { name, description, agent } = member;
  // An agent that was made for its role is named by it.
  const team = above.at(-1)?.name;
  const tools = agent?.tools ?? [];
  const isNested = (agent === undefined || receiversOf(tools).length > 0) && !above.includes(member);
  return {
    id: role,
    kind: agent === undefined ? 'team' : 'agent',
    title: role,
    description,
    lines: [
      ...(name === role || name === `${team}-${role}` ? [] : [name]),
      ...(isNested || tools.length === 0 ? [] : [tools.map((item) => item.name).join(', ')]),
      ...notes,
    ],
    inside: isNested ? compositionOf(member, above) : undefined,
  };
};

/** A tool says whether it changes anything; a toolset names what is in it. */
const toolPart = (item: Tool | Toolset): CompositionPart => ({
  id: toolId(item),
  kind: 'tool',
  title: item.name,
  description: 'tools' in item ? '' : item.description,
  lines: 'tools' in item ? item.tools.map(({ name }) => name) : item.safety === 'read' ? [] : [item.safety],
});

const toolId = ({ name }: Tool | Toolset): string => `tool:${name}`;

/** Those to whom tools give work that goes on by itself. */
const receiversOf = (items: readonly (Tool | Toolset)[]): readonly Definition[] =>
  items
    .flatMap((item) => ('tools' in item ? item.tools : [item]))
    .flatMap(({ delegates }) => delegates?.to ?? [])
    .flatMap((each) => definitionOf(each) ?? []);

/** The single arrows that one stands for; a member on both sides gives nothing to itself. */
const endsOf = ([from, to, text = '']: FlowArrow): readonly Ends[] =>
  [from].flat().flatMap((one) =>
    [to].flat().flatMap((other): readonly Ends[] => {
      if (one === other) return [];
      return [[one === OUTSIDE ? INPUT : one, other === OUTSIDE ? OUTPUT : other, text]];
    }),
  );

/** One line for all that leads between two: where they hand over to each other, it has two heads. */
const mergedArrows = (arrows: readonly Ends[]): readonly CompositionArrow[] => {
  const merged = new Map<string, CompositionArrow>();
  for (const [from, to, text] of arrows) {
    const back = merged.get(`${to} ${from}`);
    const key = back === undefined ? `${from} ${to}` : `${to} ${from}`;
    const { text: said = '', isTwoWay = false } = merged.get(key) ?? {};
    const texts = [...new Set([said, text])].filter((each) => each !== '');
    merged.set(key, {
      from: back?.from ?? from,
      to: back?.to ?? to,
      text: texts.join(' / '),
      isTwoWay: isTwoWay || back !== undefined,
    });
  }
  return [...merged.values()];
};
