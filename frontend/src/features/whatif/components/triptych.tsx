export function Triptych({ whatIf }: { estate: unknown; asked: unknown; whatIf: unknown }) {
  return whatIf === null ? null : null;
}
