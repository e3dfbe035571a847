import { create } from '@bufbuild/protobuf';
import { z } from 'zod';
import { TodoItemSchema, TodoStatus } from '#gen/toolgate/gateway/v1/session_pb.ts';
import { Outcome } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { PermissionBehavior, Risk, ToolSpecSchema } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { textResult } from '#kit/text-result.ts';
import type { GatewayTool } from './gateway-tool.ts';

const STATUS = {
  pending: TodoStatus.PENDING,
  in_progress: TodoStatus.IN_PROGRESS,
  completed: TodoStatus.COMPLETED,
} as const;

const inputSchema = z.strictObject({
  todos: z
    .array(
      z.strictObject({
        content: z.string().min(1).describe('What is to be done, as an order: "Run the tests".'),
        status: z.enum(['pending', 'in_progress', 'completed']),
        activeForm: z
          .string()
          .optional()
          .describe('How it reads while it is being done: "Running the tests".'),
      }),
    )
    .describe('The whole list; it replaces the one before.'),
});

const description = `Keeps a list of what you plan to do, so that you and the user see how far you are.
Each call replaces the whole list. Use it for work of three or more steps; keep exactly one item in_progress while you
work, and mark an item completed as soon as it is done.`;

/** TodoWrite: replaces the session's todo list. Allowed without asking, since it changes nothing else. */
export const todoWrite: GatewayTool = {
  spec: create(ToolSpecSchema, {
    name: 'TodoWrite',
    version: '1',
    description,
    inputSchemaJson: JSON.stringify(z.toJSONSchema(inputSchema)),
    aliases: ['todo_write'],
    risk: Risk.LOW,
    hints: { readOnly: true, concurrencySafe: false, idempotent: true },
    permission: { defaultBehavior: PermissionBehavior.ALLOW },
  }),
  run: (callId, input) => {
    const { todos } = inputSchema.parse(input);
    const items = todos.map(todo =>
      create(TodoItemSchema, {
        content: todo.content,
        status: STATUS[todo.status],
        activeForm: todo.activeForm ?? '',
      }),
    );
    const done = todos.filter(todo => todo.status === 'completed').length;
    const text = `The todo list has ${todos.length} items, ${done} of them completed.`;
    return {
      result: textResult(Outcome.SUCCESS, text, { callId }),
      updateSession: session => {
        session.todos = items;
      },
    };
  },
};
