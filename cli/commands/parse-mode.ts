import { PermissionMode } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { CommandFailure, EXIT_CODES } from '../command-failure.ts';
import { escapeToOneLine } from '../render/escape-untrusted.ts';
import { permissionMode, permissionModeNames } from '../render/outcome-text.ts';

/** The permission mode of a name as --mode takes it; UNSPECIFIED without one. */
export function parseMode(name: string | undefined): PermissionMode {
  const mode = name === undefined ? PermissionMode.UNSPECIFIED : permissionMode(name);
  if (mode !== undefined) return mode;
  throw new CommandFailure(
    `There is no permission mode ${escapeToOneLine(name ?? '')}: take one of ${permissionModeNames().join(', ')}.`,
    EXIT_CODES.usage,
  );
}
