import type { Session } from '#gen/toolgate/gateway/v1/session_pb.ts';
import type { ToolResult } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import type { ToolSpec } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';

/** A tool that the gateway runs itself, because all it touches is the session. */
export interface GatewayTool {
  readonly spec: ToolSpec;
  /** Result of a call whose arguments fit the schema, and what it changes of the session. */
  run(callId: string, input: Record<string, unknown>): GatewayToolRun;
}

/** What a call of a gateway tool did. */
export interface GatewayToolRun {
  readonly result: ToolResult;
  readonly updateSession?: (session: Session) => void;
}

/** Executor name of the gateway's own tools. */
export const GATEWAY_EXECUTOR = 'gateway';
