import { SessionService } from '#gen/toolgate/gateway/v1/session_service_pb.ts';
import { ToolService } from '#gen/toolgate/gateway/v1/tool_service_pb.ts';
import { Outcome } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import type { BenchGateway } from './bench-gateway.ts';
import { GrpcJsCaller } from './grpc-js-caller.ts';

/** Calls tools in one session of a gateway. Disposing deletes the session with all that its executor keeps for it. */
export interface ToolCaller extends AsyncDisposable {
  /** Resolves with the last event of the call; a call that did not succeed rejects, for its time means nothing. */
  call(toolName: string, input: object): Promise<void>;
}

/** Makes the session. */
export async function createToolCaller(gateway: BenchGateway): Promise<ToolCaller> {
  const caller = new GrpcJsCaller(gateway.address, gateway.token);
  const { session } = await caller.unary(SessionService.method.createSession, {
    agent: { case: 'definition', value: { name: 'bench' } },
  });
  const sessionId = session?.sessionId ?? '';
  return {
    call: async (toolName, input) => {
      const request = { sessionId, toolName, argumentsJson: JSON.stringify(input) };
      const responses = await caller.stream(ToolService.method.callTool, request);
      const ends = responses.flatMap(({ event }) =>
        event?.event.case === 'toolCallEnd' ? [event.event.value.outcome] : [],
      );
      if (ends[0] !== Outcome.SUCCESS) throw new Error(`${toolName} ended with outcome ${ends[0]}`);
    },
    [Symbol.asyncDispose]: async () => {
      try {
        await caller.unary(SessionService.method.deleteSession, { sessionId });
      } finally {
        caller[Symbol.dispose]();
      }
    },
  };
}
