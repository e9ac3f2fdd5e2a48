// Which half of a mirrored pair a database is now; what is wanted of it says nothing about that.
import type { DatabaseView } from './instance-view';

export type MirroringRole = 'principal' | 'mirror' | 'unknown';

export function mirroringRole(view: DatabaseView | undefined): MirroringRole {
  return view === undefined ? 'unknown' : view.state === 'mirror' ? 'mirror' : 'principal';
}
