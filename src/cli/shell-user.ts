// Who the audit log names for what a command did.
import { userInfo } from 'node:os';

export function shellUser(): string {
  try {
    return `cli:${userInfo().username}`;
  } catch {
    // A container's user id may have no name.
    return `cli:${process.getuid?.() ?? 'unknown'}`;
  }
}
