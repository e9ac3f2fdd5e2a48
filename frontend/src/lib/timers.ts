/** Timers that end together: some by name, of which one runs at a time, the others each by itself. */
export class Timers<Name extends string> {
  private readonly named = new Map<Name, ReturnType<typeof setTimeout>>();
  private readonly others = new Set<ReturnType<typeof setTimeout>>();

  /** Do something after so many milliseconds, instead of what was to be done under this name. */
  arm(name: Name, milliseconds: number, action: () => void): void {
    this.disarm(name);
    const timer = setTimeout(() => {
      this.named.delete(name);
      action();
    }, milliseconds);
    this.named.set(name, timer);
  }

  disarm(name: Name): void {
    clearTimeout(this.named.get(name));
    this.named.delete(name);
  }

  isArmed(name: Name): boolean {
    return this.named.has(name);
  }

  /** Do something after so many milliseconds, unless all have ended by then. */
  later(milliseconds: number, action: () => void): void {
    const timer = setTimeout(() => {
      this.others.delete(timer);
      action();
    }, milliseconds);
    this.others.add(timer);
  }

  /** None of them runs any more. */
  end(): void {
    for (const timer of [...this.named.values(), ...this.others]) {
      clearTimeout(timer);
    }
    this.named.clear();
    this.others.clear();
  }
}
