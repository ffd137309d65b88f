import type { Fault, FaultKind, Plan, Shape } from './planted-teams.ts';
import { randomFrom } from './planted-teams.ts';

const SHAPES: readonly Shape[] = ['pipeline', 'parallel', 'supervisor', 'chat', 'debate', 'delegate'];
/** One fault, one that a later member mends besides, and two at once. */
const STORIES = ['one', 'one', 'one', 'healed', 'two'] as const;

/** The plan of a seed: a team of 3 to 8 members with a fault in it, or with two. */
export const planFor = (seed: number): Plan => {
  const random = randomFrom(seed + 1);
  const pick = <Item>(items: readonly Item[]): Item => {
    const item = items[Math.floor(random() * items.length)];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  };
  const story = STORIES[seed % STORIES.length] ?? 'one';
  // One that reads, or the supervisor, comes on top.
  const count = 2 + Math.floor(random() * 6);
  const letters = 'abcdefgh'.slice(0, count).split('');
  const members = letters.map((fact) => ({ name: `m${fact}`, facts: [fact], looksUp: random() < 0.4 }));
  // Two at once have to be made apart from each other; what is mended has to be read by a later one.
  const shapes = { one: SHAPES, healed: ['pipeline', 'chat'], two: ['parallel', 'supervisor'] } as const;
  const shape: Shape =
    story === 'one' ? (SHAPES[seed % SHAPES.length] ?? 'pipeline') : pick<Shape>(shapes[story]);
  const isPassing = shape === 'pipeline';
  const faultBy = (index: number): Fault => {
    const { name = '', looksUp = false } = members[index] ?? {};
    const own = letters[index] ?? '';
    const kinds: FaultKind[] = ['wrong', 'dropped', ...(looksUp ? (['tool', 'argument'] as const) : [])];
    const kind = pick<FaultKind>(isPassing && index > 0 ? [...kinds, 'misquoted'] : kinds);
    return { kind, by: name, about: kind === 'misquoted' ? pick(letters.slice(0, index)) : own };
  };
  const base = { shape, isSteady: random() < 0.3, seed: seed + 1 };
  if (story === 'two') {
    const first = Math.floor(random() * count);
    const second = (first + 1 + Math.floor(random() * (count - 1))) % count;
    return { ...base, members, faults: [faultBy(first), faultBy(second)] };
  }
  if (story === 'healed') {
    // The first one's fact is wrong, the second one checks it; the fault that counts is made by another.
    const checked = members.map((member, index) =>
      index === 1 ? { ...member, facts: [...member.facts, letters[0] ?? ''] } : member,
    );
    const index = Math.max(1, Math.floor(random() * count));
    const mended: Fault = { kind: 'wrong', by: 'ma', about: 'a' };
    const own = letters[index] ?? '';
    const fault: Fault = { kind: pick<FaultKind>(['wrong', 'dropped']), by: `m${own}`, about: own };
    return { ...base, members: checked, faults: [fault], mended };
  }
  const readers: Partial<Record<Shape, string>> = {
    supervisor: 'supervisor',
    debate: 'judge',
    delegate: 'lead',
  };
  // Sometimes it is the one that puts it together.
  if (random() < 0.2) {
    const by = readers[shape] ?? 'reader';
    const fault: Fault = { kind: pick<FaultKind>(['misquoted', 'dropped']), by, about: pick(letters) };
    return { ...base, members, faults: [fault] };
  }
  return { ...base, members, faults: [faultBy(Math.floor(random() * count))] };
};
