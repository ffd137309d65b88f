import type { RuntimeEvent } from '../../../src/contracts/events/event.ts';
import { isJsonObject, type Json } from '../../../src/base/json/json.ts';
import { property } from '../../../src/policy/index.ts';

const { never } = property;

export const FINDING = ['find_user_id_by_email', 'find_user_id_by_name_zip'];

/** Tools that change what belongs to a customer: the desk's policy wants a yes before each. */
export const WRITING = [
  'cancel_pending_order',
  'exchange_delivered_order_items',
  'modify_pending_order_address',
  'modify_pending_order_items',
  'modify_pending_order_payment',
  'modify_user_address',
  'return_delivered_order_items',
];

/** "Exchange or modify order tools can only be called once": all items of an order in one call. */
export const ONCE = ['exchange_delivered_order_items', 'modify_pending_order_items'];

const ANYTHING_ELSE = [
  ...WRITING,
  'get_order_details',
  'get_product_details',
  'get_user_details',
  'list_all_product_types',
];

const ALL: readonly string[] = [...FINDING, ...ANYTHING_ELSE];

type Started = Extract<RuntimeEvent, { type: 'tool.started' }>;

const startOf = (event: RuntimeEvent): Started | undefined =>
  event.type === 'tool.started' && event.attempt === 1 ? event : undefined;

const textAt = (input: Json, name: string): string | undefined => {
  const value = isJsonObject(input) ? input[name] : undefined;
  return typeof value === 'string' ? value : undefined;
};

interface Customers {
  readonly customer: string;
  readonly other: string;
}

const withOther = (state: Customers, found: string | undefined) =>
  found === undefined || found === state.customer ? state : { ...state, other: found };

/** The sentences of the desk's policy that are about what is done, as properties of a run; orders belong to customers. */
export const deskPolicy = (ownerOf: (order: string) => string | undefined, tools = ALL) => [
  never({ tool: ANYTHING_ELSE.filter((tool) => tools.includes(tool)) })
    .before({ tool: FINDING.filter((tool) => tools.includes(tool)), ok: true })
    .named('authenticated'),
  ...WRITING.filter((tool) => tools.includes(tool)).map((tool) =>
    never(tool).before({ event: 'tool.approved', tool }).named(`confirmed ${tool}`),
  ),
  property({
    name: 'one call at a time',
    initial: { open: 0, most: 0 },
    next: (state, event) => {
      const change = startOf(event) === undefined ? (event.type === 'tool.finished' ? -1 : 0) : 1;
      const open = Math.max(0, state.open + change);
      return change === 0 ? state : { open, most: Math.max(open, state.most) };
    },
    violation: ({ most }) => (most > 1 ? `${most} calls were made at once` : undefined),
  }),
  property({
    name: 'one customer',
    initial: { customer: '', other: '' },
    next: (state, event) => {
      const { customer } = state;
      if (event.type === 'tool.finished' && event.ok && FINDING.includes(event.tool))
        return customer === '' ? { ...state, customer: event.text } : withOther(state, event.text);
      const start = startOf(event);
      if (start === undefined || customer === '') return state;
      const order = textAt(start.input, 'order_id');
      return withOther(state, order === undefined ? textAt(start.input, 'user_id') : ownerOf(order));
    },
    violation: ({ other }) => (other === '' ? undefined : `'${other}' is another customer`),
  }),
  property<{ looked: readonly string[]; blind: string }>({
    name: 'status checked',
    initial: { looked: [], blind: '' },
    next: (state, event) => {
      const start = startOf(event);
      const order = start && textAt(start.input, 'order_id');
      if (start === undefined || order === undefined || state.looked.includes(order)) return state;
      if (start.tool === 'get_order_details') return { ...state, looked: [...state.looked, order] };
      return WRITING.includes(start.tool) ? { ...state, blind: order } : state;
    },
    violation: ({ blind }) => (blind === '' ? undefined : `nobody had looked at ${blind}`),
  }),
  property<{ done: readonly string[]; again: string }>({
    name: 'items once',
    initial: { done: [], again: '' },
    next: (state, event) => {
      const start = startOf(event);
      if (start === undefined || !ONCE.includes(start.tool)) return state;
      const order = textAt(start.input, 'order_id') ?? '';
      return state.done.includes(order)
        ? { ...state, again: order }
        : { ...state, done: [...state.done, order] };
    },
    violation: ({ again }) => (again === '' ? undefined : `the items of ${again} were changed before`),
  }),
];
