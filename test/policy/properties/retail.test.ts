import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json/json.ts';
import { z } from 'zod';
import { agent, tool } from '../../../src/index.ts';
import { memoryStore } from '../../../src/persistence/index.ts';
import { policy, property } from '../../../src/policy/index.ts';
import { calls, scriptedModel, verify } from '../../../src/testing/index.ts';
import { describeWithFixtures } from '../../support/fixtures.ts';
import { isThorough } from '../../support/thorough.ts';
import {
  retailData,
  RetailDesk,
  retailTasks,
  retailToolSpecs,
  type RetailTask,
} from '../../support/retail.ts';
import { deskPolicy, FINDING, ONCE, WRITING } from './retail-policy.ts';

interface Call {
  readonly name: string;
  readonly input: JsonObject;
}

/** The calls of a clerk, one list for each answer of its model. */
interface Conduct {
  readonly plan: readonly (readonly Call[])[];
  /** The customer was asked before each change. */
  readonly isConfirmed: boolean;
}

describeWithFixtures('the policy of the retail desk, over its tasks', ['retail/tasks.json'], () => {
  const data = retailData();
  const tasks = retailTasks().filter((_, index) => isThorough || index % 3 === 0);
  const { orders = {}, users = {} } = data;
  const orderOf = ({ input }: Call): string | undefined =>
    typeof input['order_id'] === 'string' ? input['order_id'] : undefined;
  const ownerOf = (order: string): string => {
    const owner = orders[order]?.['user_id'];
    return typeof owner === 'string' ? owner : '';
  };
  const properties = deskPolicy(ownerOf);

  const customerOf = ({ steps, id }: RetailTask): string => {
    const order = steps.map((step) => step.arguments['order_id']).find((each) => typeof each === 'string');
    return typeof order === 'string' ? ownerOf(order) : (Object.keys(users)[Number(id.length)] ?? '');
  };
  const find = (task: RetailTask): Call => {
    const { name, address } = users[customerOf(task)] as {
      readonly name: JsonObject;
      readonly address: JsonObject;
    };
    return { name: 'find_user_id_by_name_zip', input: { ...name, zip: address['zip'] } };
  };
  const look = (order: string): Call => ({ name: 'get_order_details', input: { order_id: order } });

  /** What a clerk should do, and seven ways to do it wrong. */
  const conductsOf = (task: RetailTask): Readonly<Record<string, Conduct>> => {
    const writes = task.steps.map(({ name, arguments: input }) => ({ name, input }));
    const own = [...new Set(writes.flatMap((write) => orderOf(write) ?? []))];
    const others = Object.keys(orders).find((each) => ownerOf(each) !== customerOf(task)) ?? '';
    const looks = own.map((order) => [look(order)]);
    const acts = writes.map((write) => [write]);
    const whole = [[find(task)], ...looks, ...acts];
    const items = writes.find(({ name }) => ONCE.includes(name));
    return {
      dutiful: { plan: whole, isConfirmed: true },
      recorded: { plan: acts, isConfirmed: false },
      unasked: { plan: whole, isConfirmed: false },
      unknown: { plan: [...looks, ...acts], isConfirmed: true },
      blind: { plan: [[find(task)], ...acts], isConfirmed: true },
      hasty: { plan: [[find(task)], [look(others), look(others)], ...looks, ...acts], isConfirmed: true },
      nosy: { plan: [...whole, [look(others)]], isConfirmed: true },
      repeating: { plan: [...whole, ...(items === undefined ? [] : [[items]])], isConfirmed: true },
    };
  };

  /** What the policy says of a conduct, worked out from the plan alone. */
  const brokenBy = (task: RetailTask, { plan, isConfirmed }: Conduct): readonly string[] => {
    const broken = new Set<string>();
    const looked = new Set<string>();
    const changed = new Set<string>();
    let isKnown = false;
    for (const answer of plan) {
      if (answer.length > 1) broken.add('one call at a time');
      for (const call of answer) {
        const order = orderOf(call);
        const isWrite = WRITING.includes(call.name);
        if (!isKnown && !FINDING.includes(call.name)) broken.add('authenticated');
        if (FINDING.includes(call.name)) isKnown = true;
        if (isWrite && !isConfirmed) broken.add(`confirmed ${call.name}`);
        if (order === undefined) continue;
        if (isKnown && ownerOf(order) !== customerOf(task)) broken.add('one customer');
        if (call.name === 'get_order_details') looked.add(order);
        else if (isWrite && !looked.has(order)) broken.add('status checked');
        if (!ONCE.includes(call.name)) continue;
        if (changed.has(order)) broken.add('items once');
        changed.add(order);
      }
    }
    return [...broken].toSorted();
  };

  /** A clerk at a desk whose tools read its data, and change it as was recorded. */
  const clerkOf = (task: RetailTask, desk: RetailDesk, plan: Conduct['plan']) =>
    agent({
      name: 'clerk',
      model: scriptedModel([...plan.map((answer) => calls(...answer)), 'All done.']),
      tools: retailToolSpecs().map(({ function: { name, description, parameters } }) =>
        tool({
          name,
          description,
          parameters,
          dynamicSchema: true,
          safety: WRITING.includes(name) ? 'write' : 'read',
          exclusive: false,
          execute: async (input, { key }) => {
            await Promise.resolve();
            if (FINDING.includes(name)) return customerOf(task);
            const order = orderOf({ name, input: input as JsonObject });
            return WRITING.includes(name) ? desk.call(name, input, key) : JSON.stringify(orders[order ?? '']);
          },
        }),
      ),
      limits: { loops: false },
    });

  const rules = [{ name: 'ask the customer', effect: 'ask', tool: WRITING }] as const;
  const all = tasks.flatMap((task) =>
    Object.entries(conductsOf(task)).map(([name, conduct]) => ({
      task,
      conduct,
      runId: `${task.id} ${name}`,
    })),
  );

  /** All conducts, run and kept; `guard` has the desk's policy enforced. */
  const runAll = async (guard: boolean) => {
    const store = memoryStore();
    const ends = new Map<string, { readonly isLast: boolean; readonly denied: readonly string[] }>();
    for (const { task, conduct, runId } of all) {
      const desk = new RetailDesk(data, task.steps);
      const safety = policy({
        mode: 'bypass',
        ...(conduct.isConfirmed ? { rules } : {}),
        ...(guard ? { properties } : {}),
      });
      const { status, events } = await clerkOf(task, desk, conduct.plan).run(task.instruction, {
        store,
        runId,
        safety,
        person: { approve: () => true },
      });
      expect(status, runId).toBe('completed');
      const denied = events.flatMap((event) => (event.type === 'tool.denied' ? [event.rule ?? ''] : []));
      ends.set(runId, { isLast: desk.digest() === task.final_digest, denied });
    }
    const [one] = all;
    if (one === undefined) throw new Error('there are no tasks');
    const audit = await verify(clerkOf(one.task, new RetailDesk(data, []), []), { properties, over: store });
    return { ends, audit };
  };

  it('an audit finds in each run what its plan breaks, and nothing else', async () => {
    const { audit, ends } = await runAll(false);
    const found = new Map(
      audit.runs.map(({ runId, violations }) => [
        runId,
        [...new Set(violations.map(({ rule }) => rule))].toSorted(),
      ]),
    );
    for (const { task, conduct, runId } of all)
      expect(found.get(runId), runId).toEqual(brokenBy(task, conduct));
    // The right calls are recorded without those by which a clerk finds out what they are about.
    expect(all.filter(({ runId }) => found.get(runId)?.length === 0).length).toBeGreaterThanOrEqual(
      tasks.length,
    );
    for (const task of tasks) expect(ends.get(`${task.id} dutiful`)?.isLast, task.id).toBe(true);
  });

  it('enforced, each run ends in order, without what its plan breaks, and what is right is done', async () => {
    const { audit, ends } = await runAll(true);
    expect(audit).toMatchObject({ holds: all.length, violated: 0, open: 0, unread: 0 });
    for (const { task, conduct, runId } of all) {
      const broken = brokenBy(task, conduct);
      const denied = ends.get(runId)?.denied ?? [];
      expect(denied.length > 0, runId).toBe(broken.length > 0);
      for (const rule of denied) expect(broken, runId).toContain(rule);
      expect(broken.length > 0 || ends.get(runId)?.isLast, runId).toBe(true);
    }
  });

  it('a proof finds its sentences broken, by the shortest story, and none once they are enforced', async () => {
    const [task] = retailTasks().filter(({ steps }) => steps.length === 2);
    if (task === undefined) throw new Error('no task has two steps');
    const writes = task.steps.map(({ name, arguments: input }) => ({ name, input }));
    const [order = ''] = writes.flatMap((write) => orderOf(write) ?? []);
    const made = [find(task), look(order), ...writes];
    const strange = Object.keys(orders).find((each) => ownerOf(each) !== customerOf(task)) ?? '';
    const given = {
      calls: {
        ...Object.fromEntries(made.map(({ name, input }) => [name, [input]])),
        get_order_details: [look(order).input, look(strange).input],
      },
      faults: [],
      callsAtOnce: 2,
    };
    const clerk = agent({
      name: 'clerk',
      tools: made.map(({ name }) =>
        tool({
          name,
          description: name,
          safety: WRITING.includes(name) ? 'write' : 'read',
          input: z.looseObject({}),
          // The one who is found is this customer: a proof knows of a tool what its schemas say.
          output: z.literal(FINDING.includes(name) ? customerOf(task) : 'done'),
          execute: () => (FINDING.includes(name) ? customerOf(task) : 'done'),
        }),
      ),
    });
    const properties = deskPolicy(
      ownerOf,
      made.map(({ name }) => name),
    );
    const proof = await verify(clerk, { ...given, properties });
    expect(proof.violations.map(({ rule }) => rule).toSorted()).toEqual([
      'authenticated',
      ...writes.map(({ name }) => `confirmed ${name}`).toSorted(),
      'items once',
      'one call at a time',
      'one customer',
      'status checked',
    ]);
    for (const { rule, confirmed, story } of proof.violations) {
      expect(confirmed, rule).toBe('genuine');
      // The start, a call, what it says, and another call.
      expect(story.moves.length, rule).toBeLessThanOrEqual(4);
    }

    const safety = policy({ mode: 'bypass', rules, properties });
    const mended = await verify(clerk, { ...given, properties, safety });
    expect(mended).toMatchObject({ verdict: 'holds', isComplete: true });
    // It is not that nothing can be done any more: with a customer found, looked at and asked, both changes are made.
    const changed = property.never({ tool: writes.at(-1)?.name ?? '', ok: true }).named('changed');
    const { violations } = await verify(clerk, { ...given, properties: [changed], safety });
    expect(violations.map(({ confirmed }) => confirmed)).toEqual(['genuine']);
  });
});
